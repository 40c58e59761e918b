/* SPDX-License-Identifier: MIT */
/*
 * The solver: integer difference logic through Z3's C API, as much of it as the encoder
 * needs. An unknown is the place of an event in the schedule; the race is at 0, so an
 * event is part of the schedule if its place is below 0.
 *
 * Work is bounded by Z3's count of its own steps, which does not depend on the machine's
 * load, so that the same question gets the same answer; a clock stands behind it for the
 * case that a step takes for ever. A solver that has run out answers DH_UNKNOWN.
 *
 * One solver belongs to one thread; several may work at once. Allocates (Z3's own heap).
 */
#ifndef DH_PREDICT_SOLVER_H
#define DH_PREDICT_SOLVER_H

#include "base/base.h"

enum dh_answer { DH_NO, DH_YES, DH_UNKNOWN };

/* A formula. NULL stands for one that is true (as part of a clause: makes it void) or
 * false, as the function says. Lives as long as the solver. */
struct dh_solver;
typedef struct _Z3_ast *dh_formula;

/* patience: milliseconds for a question, at least 1. dense: for up to some hundred
 * unknowns, a table of all distances, which is fast and takes memory by the square of
 * their number. */
struct dh_solver *dh_solver_new(uint32_t patience, bool dense);
void dh_solver_free(struct dh_solver *s);

/* A new unknown, by number from 0. */
uint32_t dh_solver_unknown(struct dh_solver *s);

dh_formula dh_solver_less(struct dh_solver *s, uint32_t x, uint32_t y); /* x < y */
dh_formula dh_solver_in(struct dh_solver *s, uint32_t x);		/* x < 0 */
dh_formula dh_solver_out(struct dh_solver *s, uint32_t x);		/* not x < 0 */
dh_formula dh_solver_or(struct dh_solver *s, uint32_t n, const dh_formula *parts);
dh_formula dh_solver_and(struct dh_solver *s, uint32_t n, const dh_formula *parts);

void dh_solver_assert(struct dh_solver *s, dh_formula f);

/* What is asserted from here on goes at the matching pop. */
void dh_solver_push(struct dh_solver *s);
void dh_solver_pop(struct dh_solver *s);

/* Is there an assignment? DH_YES: dh_solver_value() tells it, until the next change. */
enum dh_answer dh_solver_ask(struct dh_solver *s);
int64_t dh_solver_value(struct dh_solver *s, uint32_t x);

#endif
