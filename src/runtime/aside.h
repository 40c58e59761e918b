/* SPDX-License-Identifier: MIT */
/*
 * Standing aside where threads are in each other's way: one that has found an atomic
 * variable changed by another, and will try again, waits some microseconds first. Else
 * each step of both has to fetch the variable, its cell, its object and their clock from
 * the other processor, and comes too late half of the time. The other one meanwhile does
 * many steps with all of these at hand, and then it is the other way round.
 *
 * Nothing depends on it. It is left where the variable does not change meanwhile: then
 * the program has only looked whether it has some value.
 *
 * Context: any thread, holding none of our locks. Neither allocates nor blocks.
 */
#ifndef DH_RUNTIME_ASIDE_H
#define DH_RUNTIME_ASIDE_H

#include "base/base.h"

/* addr: of a variable that can be read. */
void dh_step_aside(uintptr_t addr);

#endif
