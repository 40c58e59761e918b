/* SPDX-License-Identifier: MIT */
/* A progress line on stderr for work that takes long; silent where that is no
 * terminal. Zero-initialised is ready. */
#ifndef DH_CLI_PROGRESS_H
#define DH_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct dh_progress {
	bool off;     /* set it to have no line in any case */
	bool shown;
	double start; /* seconds; 0 until first used */
	double last;
};

/* May be called often: looks at the clock and redraws a few times a second.
 * total is 0 where it is not known. */
void dh_progress_show(struct dh_progress *p, uint64_t done, uint64_t total,
		      uint64_t events);

/* Takes the line away. */
void dh_progress_end(struct dh_progress *p);

#endif
