/* Sets as the host keeps them: binary trees whose missing children are a node private to set.c. */
#pragma once

#include "ldy_host.h"

typedef enum { SET_BALANCED, SET_LEFT_CHAIN, SET_RIGHT_CHAIN } SET_FORM;

/* The tree whose in-order walk gives items[0..count]; NULL if count is 0. */
SET *host_set_build (void *const *items, int count, SET_FORM form);

/* The other empty set: the sentinel itself, as it stays when the last element was deleted. */
SET *host_set_emptied (void);

void host_set_free (SET *set);

int host_set_size (const SET *set);

/* Writes the elements in order; returns their number. */
int host_set_items (const SET *set, void **items);
