/* SPDX-License-Identifier: MIT */
/*
 * Accesses that fault. The compiler tells of an access before it is made; where the memory
 * is not accessible, what becomes of it is up to the program's handler. One that makes the
 * memory accessible and returns lets the access be made; one that jumps elsewhere has seen
 * to it that it never was, and then it is no part of a race.
 *
 * So a race that is found at such an access is held back until that is known.
 */
#ifndef DH_RUNTIME_FAULTS_H
#define DH_RUNTIME_FAULTS_H

#include "runtime/thread.h"

struct dh_race_facts;

/* Can the memory be read now, or is a fault there none of the program's business? */
bool dh_fault_readable(uintptr_t address);

/* Is the present access of a race going to fault, in a program that handles faults? Then
 * the facts are kept. The thread is `inside`. */
bool dh_fault_ahead(struct dh_self *t, const struct dh_race_facts *f);

/* The handler has returned, or there will be none: states the race that was held back, if
 * there is one. */
void dh_fault_past(struct dh_self *t);

/* The handler of a fault at the address was left: the access was not made, and is forgotten.
 * The thread is `inside`. */
void dh_fault_left(struct dh_self *t, uintptr_t address);

#endif
