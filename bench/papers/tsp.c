/* SPDX-License-Identifier: MIT */
/* Travelling salesman by branch and bound, after the one of TreadMarks: partial tours lie
 * on a shared stack under a lock; a thread takes one, extends it by one city and puts the
 * results back, or searches to the end where few cities are left. The shortest tour has a
 * lock too; that it is read without is the known race of the original, and not done here.
 */
#include "../kernels/kernel.h"

enum { CITIES = 11, DEEP = 7, ROOM = 4096, FAR = 1 << 30 };

struct tour {
	int length, cities;
	unsigned visited;
	int city[CITIES];
};

static int distance[CITIES][CITIES];
static struct tour stack[ROOM];
static int top, busy, best;
static pthread_mutex_t stack_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t best_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static int shortest(void)
{
	pthread_mutex_lock(&best_lock);
	int length = best;
	pthread_mutex_unlock(&best_lock);
	return length;
}

static void offer(int length)
{
	pthread_mutex_lock(&best_lock);
	if (length < best)
		best = length;
	pthread_mutex_unlock(&best_lock);
}

/* All ways to end a tour; no longer than what is known already. */
static void finish(struct tour *t)
{
	int last = t->city[t->cities - 1];

	if (t->cities == CITIES) {
		offer(t->length + distance[last][0]);
		return;
	}
	int bound = shortest();

	for (int c = 1; c < CITIES; c++) {
		int more = distance[last][c];

		if (t->visited & 1u << c || t->length + more >= bound)
			continue;
		t->visited |= 1u << c;
		t->length += more;
		t->city[t->cities++] = c;
		finish(t);
		t->cities--;
		t->length -= more;
		t->visited &= ~(1u << c);
	}
}

static void extend(const struct tour *t)
{
	int last = t->city[t->cities - 1], bound = shortest();

	pthread_mutex_lock(&stack_lock);
	for (int c = 1; c < CITIES && top < ROOM; c++) {
		if (t->visited & 1u << c || t->length + distance[last][c] >= bound)
			continue;
		struct tour *next = &stack[top++];

		*next = *t;
		next->visited |= 1u << c;
		next->length += distance[last][c];
		next->city[next->cities++] = c;
	}
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&stack_lock);
}

/* False when there is nothing left and nobody who could add to it. */
static int take(struct tour *t)
{
	pthread_mutex_lock(&stack_lock);
	while (!top && busy)
		pthread_cond_wait(&changed, &stack_lock);
	int some = top > 0;

	if (some) {
		*t = stack[--top];
		busy++;
	}
	pthread_mutex_unlock(&stack_lock);
	return some;
}

static void give_back(void)
{
	pthread_mutex_lock(&stack_lock);
	busy--;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&stack_lock);
}

static void work(long id)
{
	struct tour t;

	(void)id;
	while (take(&t)) {
		if (CITIES - t.cities <= DEEP)
			finish(&t);
		else
			extend(&t);
		give_back();
	}
}

int main(int argc, char **argv)
{
	uint64_t sum = 0;

	kernel_open(argc, argv);
	for (long r = 0; r < kernel_scaled(10); r++) {
		uint64_t seed = (uint64_t)r;

		for (int i = 0; i < CITIES * CITIES; i++)
			distance[i / CITIES][i % CITIES] =
			    1 + (int)(kernel_random(&seed) % 1000);
		best = FAR;
		stack[0] = (struct tour){.cities = 1, .visited = 1};
		top = 1;
		kernel_run(work);
		sum = sum * 31 + (uint64_t)best;
	}
	return kernel_close(sum);
}
