/* SPDX-License-Identifier: MIT */
/*
 * Random small traces of many shapes, for brute force: a few kinds of synchronisation at
 * a time, single events thrown together or whole idioms (sections, waiting on a
 * condition, calls with something inside) interleaved. A seed names a trace. Allocates
 * nothing.
 */
#ifndef DH_TESTS_SHAPES_H
#define DH_TESTS_SHAPES_H

#include "exhaustive.h"

/* Threads up to SMALL_THREADS, variables up to SMALL_VARS, at most SMALL_EVENTS events.
 */
void shapes_generate(struct trace *t, uint64_t seed);

/* Values as a run of the trace would have them; mode 0: none, 1: everywhere, 2: here and
 * there, 3: with one read that what the trace shows does not explain. */
void shapes_put_values(struct trace *t, uint64_t seed, uint32_t mode);

#endif
