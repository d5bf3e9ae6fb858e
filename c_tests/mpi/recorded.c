#include "recorded.h"

#include <stdlib.h>

LOCDYN *recorded_insert (const SNAPSHOT *s, const PART *part)
{
  int i, j;

  part->host->dom.ldy = LOCDYN_Create (&part->host->dom);
  if (!part->host->dom.ldy) abort ();
  for (i = s->rows - 1; i >= 0; i --) {
    for (j = 0; s->con[j] != s->row[i].con; j ++) ;
    if (part->con[j] && !(part->con[j]->state & CON_EXTERNAL)) host_insert (part->host, part->con[j]);
  }
  return part->host->dom.ldy;
}
