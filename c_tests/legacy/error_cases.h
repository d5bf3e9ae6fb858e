/* What can go wrong, one case a condition: how to bring it about, which call meets it, what the error has to say. */
#pragma once

#include "support/scene.h"

#define BODIES 14
#define CONSTRAINTS 38

/* A mixed scene (scene_mixed) with finite elements (mesh_add_scene), all inserted, and a second LOCDYN beside it. */
typedef struct {
  HOST *host, *other;
  LOCDYN *ldy;
  BODY *body[BODIES];
  CON *con[CONSTRAINTS];
  DIAB *row;       /* for cases that set a row aside */
  void **element;  /* for one that damages a set */
  void *pointer;   /* the pointer that the call returned; not NULL before it */
  double value;    /* likewise; no NaN before it */
  struct backup *backup;
} SCENE;

typedef enum { RESULT_NONE, RESULT_POINTER, RESULT_VALUE } RESULT;

typedef struct {
  const char *name;
  int code;
  const char *mention[2];      /* parts of the text */
  void (*prepare) (SCENE *);   /* NULL: nothing to do */
  void (*call) (SCENE *);
  void (*repair) (SCENE *);    /* what putting all data back does not repair; NULL: nothing */
  RESULT result;
} ERROR_CASE;

extern const ERROR_CASE error_cases[];
extern const int error_case_count;

SCENE *error_scene (void);

/* Puts everything of bodies and constraints back as error_scene made it, but for `dia` and the sets. */
void error_scene_restore (SCENE *scene);
void error_scene_free (SCENE *scene);

/* The list of rows and blocks, to see whether a call has changed it. */
typedef struct {
  int count;
  const void **address;
} STRUCTURE;

STRUCTURE structure_of (const LOCDYN *ldy);
int structure_same (const STRUCTURE *one, const STRUCTURE *two);
void structure_free (STRUCTURE *structure);

/* After an error: same structure as before, still good for an update (compared with dense matrices), removal of all rows
 * and their insertion. */
void error_scene_check_usable (SCENE *scene, const ERROR_CASE *test, const STRUCTURE *before);
