/* Memory that may be locked: while it is, a write into it ends the program. Linked with the linker's --wrap for malloc,
 * calloc, realloc and free. */
#pragma once

/* Memory that is allocated in between can be locked. */
void guarded_begin (void);
void guarded_end (void);

void guarded_lock (void);
void guarded_unlock (void);
