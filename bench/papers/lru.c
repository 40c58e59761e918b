/* SPDX-License-Identifier: MIT */
/* A cache that throws out what was not used for longest: parts with a lock, a table and a
 * list each; entries and what they hold are blocks of the heap, 32 to 512 bytes. 400,000
 * entries at scale 100, and four requests to each of them. Every part is asked by one
 * thread in its own order, so that what is in the cache at the end is always the same;
 * the hits are counted in places that all share. */
#include "../kernels/kernel.h"

#include <string.h>

enum { PARTS = 256, ENTRIES = 400000, ASKED = 4, COUNTERS = 16 };

struct entry {
	struct entry *next, *newer, *older;
	uint64_t key;
	unsigned char *data;
	uint32_t size;
};

static struct part {
	pthread_mutex_t lock;
	struct entry **bucket, ends; /* ends.newer is the oldest, ends.older the newest */
	long count, room;
} part[PARTS];
static struct {
	pthread_mutex_t lock;
	uint64_t hits;
} counter[COUNTERS];

static void unlink_entry(struct entry *e)
{
	e->newer->older = e->older;
	e->older->newer = e->newer;
}

static void link_newest(struct part *p, struct entry *e)
{
	e->newer = &p->ends;
	e->older = p->ends.older;
	e->older->newer = e;
	p->ends.older = e;
}

static struct entry **place(struct part *p, uint64_t key)
{
	struct entry **at = &p->bucket[key % (uint64_t)p->room];

	while (*at && (*at)->key != key)
		at = &(*at)->next;
	return at;
}

static void evict(struct part *p)
{
	struct entry *e = p->ends.newer;

	*place(p, e->key) = e->next;
	unlink_entry(e);
	free(e->data);
	free(e);
	p->count--;
}

static void load(struct part *p, uint64_t key)
{
	struct entry *e = malloc(sizeof *e), **at;

	if (p->count == p->room)
		evict(p);
	at = place(p, key);
	*e = (struct entry){.next = *at, .key = key, .size = 32 + (uint32_t)(key % 480)};
	e->data = malloc(e->size);
	memset(e->data, (int)(key & 127), e->size);
	*at = e;
	link_newest(p, e);
	p->count++;
}

static int request(struct part *p, uint64_t key)
{
	pthread_mutex_lock(&p->lock);
	struct entry *e = *place(p, key);
	int hit = e != NULL;

	if (hit) {
		unlink_entry(e);
		link_newest(p, e);
		hit += e->data[e->size / 2] & 1;
	} else {
		load(p, key);
	}
	pthread_mutex_unlock(&p->lock);
	return hit;
}

static void work(long id)
{
	for (long n = id; n < PARTS; n += kernel_threads) {
		struct part *p = &part[n];
		uint64_t seed = (uint64_t)n;

		for (long i = 0; i < ASKED * p->room; i++) {
			uint64_t r = kernel_random(&seed);
			uint64_t span = (uint64_t)p->room * (r & 1 ? 1 : 4);
			int hit = request(p, (r >> 8) % span);

			pthread_mutex_lock(&counter[r % COUNTERS].lock);
			counter[r % COUNTERS].hits += (uint64_t)hit;
			pthread_mutex_unlock(&counter[r % COUNTERS].lock);
		}
	}
}

int main(int argc, char **argv)
{
	uint64_t sum = 0;

	kernel_open(argc, argv);
	for (int i = 0; i < COUNTERS; i++)
		pthread_mutex_init(&counter[i].lock, NULL);
	for (int i = 0; i < PARTS; i++) {
		struct part *p = &part[i];

		pthread_mutex_init(&p->lock, NULL);
		p->room = kernel_scaled(ENTRIES) / PARTS + 1;
		p->bucket = calloc((size_t)p->room, sizeof(struct entry *));
		p->ends.newer = p->ends.older = &p->ends;
	}
	kernel_run(work);
	for (int i = 0; i < COUNTERS; i++)
		sum = sum * 31 + counter[i].hits;
	return kernel_close(sum);
}
