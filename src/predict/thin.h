/* SPDX-License-Identifier: MIT */
/*
 * What the calls of a window reach, brought down to what can make a difference there. A
 * call can reach a hundred thousand variables, most of which nobody in the window touches
 * but the calls themselves, as one piece.
 *
 * Called by predict for each window before it is judged. Allocates.
 */
#ifndef DH_PREDICT_THIN_H
#define DH_PREDICT_THIN_H

#include "predict/window.h"

/* Afterwards two calls have a variable in common exactly if they had one before, and a
 * call reaches the variable of an access exactly if it did. */
void dh_window_thin(struct dh_window *w);

#endif
