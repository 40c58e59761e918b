/* SPDX-License-Identifier: MIT */
/*
 * Puts the events of a cut into an order, the greedy way: again and again the one that is
 * earliest in the trace among those that may come next. A write waits for the reads that
 * are still to get the value that it would take away.
 *
 * For saturate.h alone. Allocates.
 */
#ifndef DH_PREDICT_LINEUP_H
#define DH_PREDICT_LINEUP_H

#include "predict/saturate.h"

/* True: x->order has all events of the cut, in an order that keeps what x knows, in which
 * every read reads what it should and no lock has two owners. */
bool dh_line_up(struct dh_saturator *x);

#endif
