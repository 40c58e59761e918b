/* SPDX-License-Identifier: MIT */
/* Some threads that the runtime knows, at once, and their end. */
#ifndef TESTS_RUNTIME_REAL_THREADS_H
#define TESTS_RUNTIME_REAL_THREADS_H

#include "runtime/thread.h"

#include <pthread.h>
#include <stdlib.h>

struct start {
	struct dh_thread_info *info;
	unsigned me;
	void (*work)(unsigned me);
};

static void *run(void *arg)
{
	struct start *s = arg;
	dh_thread_attach(s->info);
	s->work(s->me);
	dh_thread_detach_self();
	return NULL;
}

static void run_all(unsigned threads, void (*work)(unsigned me))
{
	enum { MOST = 16 };
	pthread_t handles[MOST];
	struct start starts[MOST];
	for (unsigned i = 0; i < threads; i++) {
		starts[i] = (struct start){dh_thread_create(0), i, work};
		if (pthread_create(&handles[i], NULL, run, &starts[i]))
			abort();
	}
	for (unsigned i = 0; i < threads; i++) {
		pthread_join(handles[i], NULL);
		dh_thread_joined(starts[i].info);
	}
}

#endif
