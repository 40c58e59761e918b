/* SPDX-License-Identifier: MIT */
/* A pipeline, one of the programs of TREE's Table 5.1: each thread takes items from the
 * queue before it, works on them and puts them into the queue behind it. Items are blocks
 * of the heap that change hands. The first thread makes them, the last one takes them
 * apart. */
#include "../kernels/kernel.h"

enum { ROOM = 16, ITEMS = 10000, WORDS = 16 };

struct item {
	uint64_t word[WORDS];
};

static struct queue {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct item *item[ROOM];
	int first, count;
} queue[KERNEL_THREADS_MAX];
static uint64_t result;

static void put(struct queue *q, struct item *item)
{
	pthread_mutex_lock(&q->lock);
	while (q->count == ROOM)
		pthread_cond_wait(&q->changed, &q->lock);
	q->item[(q->first + q->count++) % ROOM] = item;
	pthread_cond_broadcast(&q->changed);
	pthread_mutex_unlock(&q->lock);
}

static struct item *get(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	while (!q->count)
		pthread_cond_wait(&q->changed, &q->lock);
	struct item *item = q->item[q->first];

	q->first = (q->first + 1) % ROOM;
	q->count--;
	pthread_cond_broadcast(&q->changed);
	pthread_mutex_unlock(&q->lock);
	return item;
}

static void improve(struct item *item, uint64_t by)
{
	for (int i = 0; i < WORDS; i++)
		item->word[i] = item->word[i] * 3 + by + item->word[(i + 1) % WORDS];
}

static void work(long id)
{
	long items = kernel_scaled(ITEMS);

	for (long i = 0; i < items; i++) {
		struct item *item = id ? get(&queue[id - 1]) : calloc(1, sizeof *item);

		improve(item, (uint64_t)(i + id));
		if (id < kernel_threads - 1) {
			put(&queue[id], item);
			continue;
		}
		result += item->word[0];
		free(item);
	}
}

int main(int argc, char **argv)
{
	kernel_open(argc, argv);
	for (long i = 0; i < kernel_threads; i++) {
		pthread_mutex_init(&queue[i].lock, NULL);
		pthread_cond_init(&queue[i].changed, NULL);
	}
	kernel_run(work);
	return kernel_close(result);
}
