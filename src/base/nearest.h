/* SPDX-License-Identifier: MIT */
/*
 * For messages about a word that is not known: how near it is to one that is. Pure; calls
 * nothing.
 */
#ifndef DH_BASE_NEAREST_H
#define DH_BASE_NEAREST_H

#include "base/base.h"

/* How many letters have to change to make one word of the other (Levenshtein); letters
 * after the 32nd do not count, and '-' and '_' are the same. */
unsigned dh_nearest_distance(const char *a, const char *b);

#endif
