/* SPDX-License-Identifier: MIT */
/* Libraries that come while the program runs (dl.c). */
#ifndef DH_RUNTIME_INTERCEPT_DL_H
#define DH_RUNTIME_INTERCEPT_DL_H

/* Constructors of an instrumented module are about to run on the calling thread: the
 * program's, before there are others, or those of a library that it loads. Any number of
 * times. */
void dh_dl_constructors_begin(void);

#endif
