/* SPDX-License-Identifier: MIT */
/*
 * The checker: replays a schedule over a window, event by event, and refuses it at the
 * first step that no run could take. It is given nothing but the window and the schedule
 * and shares no code with what found the schedule: it knows the rules of a correct
 * reordering (docs/engines/predict.md) in their plain form, and goes through all events
 * where it has to. Every witness passes here before it is reported.
 *
 * A checker is for one window and one thread. Allocates.
 */
#ifndef DH_PREDICT_CHECK_H
#define DH_PREDICT_CHECK_H

#include "predict/window.h"

struct dh_checker;

/* methods: the rules of calls whose inside is missing are to hold as well. The window is
 * the caller's, and must outlive the checker. */
struct dh_checker *dh_checker_new(const struct dh_window *w, bool methods);
void dh_checker_free(struct dh_checker *c);

/* Is this a correct reordering of a part of the window (after all that came before it),
 * with a race of the last two? Where not, *why (of size bytes, may be NULL) says what is
 * wrong. */
bool dh_checker_accepts(struct dh_checker *c, const uint32_t *events, size_t count,
			char *why, size_t size);

#endif
