/* SPDX-License-Identifier: MIT */
#ifndef TESTS_RECORD_ALIVE_H
#define TESTS_RECORD_ALIVE_H

struct worker {
	int done;
};

int worker_is_alive(struct worker *w);
void worker_ends(struct worker *w);

#endif
