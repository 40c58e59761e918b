/* SPDX-License-Identifier: MIT */
/* Producers and consumers on bounded queues (a mutex and two condition variables each);
 * messages are heap blocks that the one fills and the other reads and frees. With one
 * thread, that one does both. */
#include "kernel.h"

enum { ROOM = 64, MESSAGES = 180000, WORDS = 32, QUEUES_MAX = KERNEL_THREADS_MAX / 2 };

static struct queue {
	pthread_mutex_t lock;
	pthread_cond_t filled, emptied;
	uint64_t *at[ROOM];
	unsigned head, tail;
	uint64_t sum;
} queues[QUEUES_MAX];

static void put(struct queue *q, uint64_t *message)
{
	pthread_mutex_lock(&q->lock);
	while (q->tail - q->head == ROOM)
		pthread_cond_wait(&q->emptied, &q->lock);
	q->at[q->tail++ % ROOM] = message;
	pthread_cond_signal(&q->filled);
	pthread_mutex_unlock(&q->lock);
}

static uint64_t *take(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	while (q->tail == q->head)
		pthread_cond_wait(&q->filled, &q->lock);
	uint64_t *message = q->at[q->head++ % ROOM];

	pthread_cond_signal(&q->emptied);
	pthread_mutex_unlock(&q->lock);
	return message;
}

static void produce(struct queue *q, uint64_t seed)
{
	uint64_t *message = malloc(WORDS * sizeof *message);

	for (int i = 0; i < WORDS; i++)
		message[i] = kernel_random(&seed);
	put(q, message);
}

static void consume(struct queue *q)
{
	uint64_t *message = take(q);

	for (int i = 0; i < WORDS; i++)
		q->sum += message[i];
	free(message);
}

static void work(long id)
{
	long pairs = kernel_threads / 2 ? kernel_threads / 2 : 1;
	long pair = id / 2, count = kernel_scaled(MESSAGES);

	if (pair >= pairs)
		return; /* an odd one out */
	for (long i = count * pair / pairs; i < count * (pair + 1) / pairs; i++) {
		if (id % 2 == 0)
			produce(&queues[pair], (uint64_t)i);
		if (id % 2 == 1 || kernel_threads == 1)
			consume(&queues[pair]);
	}
}

int main(int argc, char **argv)
{
	uint64_t sum = 0;

	kernel_open(argc, argv);
	for (int i = 0; i < QUEUES_MAX; i++) {
		pthread_mutex_init(&queues[i].lock, NULL);
		pthread_cond_init(&queues[i].filled, NULL);
		pthread_cond_init(&queues[i].emptied, NULL);
	}
	kernel_run(work);
	for (int i = 0; i < QUEUES_MAX; i++)
		sum += queues[i].sum;
	return kernel_close(sum);
}
