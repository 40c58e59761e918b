/* SPDX-License-Identifier: MIT */
/* A bounded queue and its threads; see jobs.h. */
#include "predict/jobs.h"

#include <pthread.h>

struct dh_jobs {
	void (*work)(void *context, struct dh_window *w);
	void *context;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	/* Under the mutex: */
	struct dh_window **queue; /* a ring */
	uint32_t first, count, room;
	bool over;
	pthread_t *threads;
	uint32_t thread_count, asked;
};

static void *run(void *context)
{
	struct dh_jobs *j = context;
	pthread_mutex_lock(&j->mutex);
	for (;;) {
		while (j->count == 0 && !j->over)
			pthread_cond_wait(&j->changed, &j->mutex);
		if (j->count == 0)
			break;
		struct dh_window *w = j->queue[j->first];
		j->first = (j->first + 1) % j->room;
		j->count--;
		pthread_cond_broadcast(&j->changed);
		pthread_mutex_unlock(&j->mutex);
		j->work(j->context, w);
		pthread_mutex_lock(&j->mutex);
	}
	pthread_mutex_unlock(&j->mutex);
	return NULL;
}

struct dh_jobs *dh_jobs_new(uint32_t jobs,
			    void (*work)(void *context, struct dh_window *w),
			    void *context)
{
	struct dh_jobs *j = dh_mem_alloc(sizeof *j);
	j->work = work;
	j->context = context;
	j->asked = jobs > 1 ? jobs : 0;
	j->room = jobs + 1;
	j->queue = dh_mem_alloc(j->room * sizeof *j->queue);
	j->threads = dh_mem_alloc((j->asked + 1) * sizeof *j->threads);
	pthread_mutex_init(&j->mutex, NULL);
	pthread_cond_init(&j->changed, NULL);
	while (j->thread_count < j->asked &&
	       !pthread_create(&j->threads[j->thread_count], NULL, run, j))
		j->thread_count++;
	return j;
}

void dh_jobs_add(struct dh_jobs *j, struct dh_window *w)
{
	if (j->thread_count == 0) {
		j->work(j->context, w);
		return;
	}
	pthread_mutex_lock(&j->mutex);
	while (j->count == j->room)
		pthread_cond_wait(&j->changed, &j->mutex);
	j->queue[(j->first + j->count) % j->room] = w;
	j->count++;
	pthread_cond_broadcast(&j->changed);
	pthread_mutex_unlock(&j->mutex);
}

void dh_jobs_free(struct dh_jobs *j)
{
	pthread_mutex_lock(&j->mutex);
	j->over = true;
	pthread_cond_broadcast(&j->changed);
	pthread_mutex_unlock(&j->mutex);
	for (uint32_t i = 0; i < j->thread_count; i++)
		pthread_join(j->threads[i], NULL);
	pthread_mutex_destroy(&j->mutex);
	pthread_cond_destroy(&j->changed);
	dh_mem_free(j->queue, j->room * sizeof *j->queue);
	dh_mem_free(j->threads, (j->asked + 1) * sizeof *j->threads);
	dh_mem_free(j, sizeof *j);
}
