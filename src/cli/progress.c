/* SPDX-License-Identifier: MIT */
/* The progress line of progress.h. */
#include "cli/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void dh_progress_show(struct dh_progress *p, uint64_t done, uint64_t total, uint64_t events)
{
	const double patience = 0.5, interval = 0.2;
	if (p->off)
		return;
	double t = now();
	if (p->start == 0) {
		p->start = t;
		p->off = !isatty(STDERR_FILENO);
	}
	if (p->off || t - p->start < patience || t - p->last < interval)
		return;
	p->last = t;
	p->shown = true;
	double seconds = t - p->start, millions = (double)events * 1e-6;
	fprintf(stderr, "\r\033[K%.1f million events, %.1f million/s", millions,
		millions / seconds);
	if (total) {
		double part = (double)done / (double)total;
		fprintf(stderr, ", %.0f%%, %.0f s to go", part * 100,
			part > 0 ? seconds / part - seconds : 0);
	}
	fflush(stderr);
}

void dh_progress_end(struct dh_progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}
