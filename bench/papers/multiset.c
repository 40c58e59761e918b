/* SPDX-License-Identifier: MIT */
/* Multiset of the Goldilocks paper: threads insert, delete and look for integers. The
 * values are in sorted lists, one lock to each list. A thread deletes only what it has
 * inserted itself, so that what remains does not depend on who comes first. */
#include "../kernels/kernel.h"

enum { LISTS = 64, VALUES = 1024, TURNS = 300000, KEPT = 32 };

struct element {
	struct element *next;
	uint64_t value;
	int count;
};

static struct list {
	pthread_mutex_t lock;
	struct element *first;
} list[LISTS];

/* Where value is, or would be. The list is locked. */
static struct element **place(struct list *l, uint64_t value)
{
	struct element **at = &l->first;

	while (*at && (*at)->value < value)
		at = &(*at)->next;
	return at;
}

static void insert(uint64_t value)
{
	struct list *l = &list[value % LISTS];

	pthread_mutex_lock(&l->lock);
	struct element **at = place(l, value), *e = *at;

	if (!e || e->value != value) {
		e = malloc(sizeof *e);
		*e = (struct element){.next = *at, .value = value};
		*at = e;
	}
	e->count++;
	pthread_mutex_unlock(&l->lock);
}

static void delete (uint64_t value)
{
	struct list *l = &list[value % LISTS];

	pthread_mutex_lock(&l->lock);
	struct element **at = place(l, value), *e = *at;

	if (e && e->value == value && --e->count == 0) {
		*at = e->next;
		free(e);
	}
	pthread_mutex_unlock(&l->lock);
}

static int query(uint64_t value)
{
	struct list *l = &list[value % LISTS];

	pthread_mutex_lock(&l->lock);
	struct element *e = *place(l, value);
	int count = e && e->value == value ? e->count : 0;

	pthread_mutex_unlock(&l->lock);
	return count;
}

static void work(long id)
{
	uint64_t seed = (uint64_t)id, mine[KEPT];
	long turns = kernel_scaled(TURNS), n = 0, found = 0;

	for (long i = kernel_first(turns, id); i < kernel_last(turns, id); i++) {
		uint64_t what = kernel_random(&seed), value = what / 4 % VALUES;

		if (what % 4 < 2) {
			found += query(value);
		} else if (n < KEPT && (what % 4 == 2 || !n)) {
			insert(value);
			mine[n++] = value;
		} else {
			delete (mine[--n]);
		}
	}
	if (found < 0)
		abort();
}

int main(int argc, char **argv)
{
	uint64_t sum = 0;

	kernel_open(argc, argv);
	for (int i = 0; i < LISTS; i++)
		pthread_mutex_init(&list[i].lock, NULL);
	kernel_run(work);
	for (int i = 0; i < LISTS; i++)
		for (struct element *e = list[i].first; e; e = e->next)
			sum += e->value * 31 * (uint64_t)e->count;
	return kernel_close(sum);
}
