/* SPDX-License-Identifier: MIT */
/*
 * Standing aside where threads are in each other's way: one that has found an atomic
 * variable changed by another, and will try again, waits some microseconds first; so does
 * one that finds its object locked. Else each step of both has to fetch the variable, its
 * cell, its object and their clock from the other processor, and comes too late half of
 * the time. The other one meanwhile does many steps with all of these at hand, and then
 * it is the other way round.
 *
 * Nothing depends on it. It is left where nothing changes meanwhile: then the program has
 * only looked whether the variable has some value, or the other one does something else.
 * Not for the objects of mutexes and the like: there the program's own lock would be held
 * all the longer.
 *
 * Context: any thread, holding none of our locks. Neither allocates nor blocks.
 */
#ifndef DH_RUNTIME_GIVE_WAY_H
#define DH_RUNTIME_GIVE_WAY_H

#include "base/base.h"

/* addr: where to see whether others go on, which can be read. */
void dh_give_way(uintptr_t addr);

#endif
