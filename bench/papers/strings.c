/* SPDX-License-Identifier: MIT */
/* A map from strings to strings that grows: a million entries at scale 100, in parts with
 * a lock and a table each. Keys and values are blocks of their own; every fourth entry is
 * changed, every eighth removed. */
#include "../kernels/kernel.h"

#include <string.h>

enum { ENTRIES = 1000000, PARTS = 64, ROOM = 64 };

struct entry {
	struct entry *next;
	char *key, *value;
};

static struct part {
	pthread_mutex_t lock;
	struct entry **bucket;
	size_t buckets, count;
} part[PARTS];

static uint64_t hash(const char *s)
{
	uint64_t h = 1469598103934665603u;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 1099511628211u;
	return h ^ h >> 29;
}

static char *copy(const char *s)
{
	size_t n = strlen(s) + 1;

	return memcpy(malloc(n), s, n);
}

static void grow(struct part *p)
{
	size_t wide = p->buckets ? 2 * p->buckets : 16;
	struct entry **bucket = calloc(wide, sizeof(struct entry *));

	for (size_t i = 0; i < p->buckets; i++) {
		for (struct entry *e = p->bucket[i], *next; e; e = next) {
			size_t at = hash(e->key) / PARTS % wide;

			next = e->next;
			e->next = bucket[at];
			bucket[at] = e;
		}
	}
	free(p->bucket);
	p->bucket = bucket;
	p->buckets = wide;
}

/* Where the entry is, or the end of its list. */
static struct entry **place(struct part *p, const char *key, uint64_t h)
{
	struct entry **at = &p->bucket[h / PARTS % p->buckets];

	while (*at && strcmp((*at)->key, key))
		at = &(*at)->next;
	return at;
}

/* A value of NULL removes the entry. */
static void set(const char *key, const char *value)
{
	uint64_t h = hash(key);
	struct part *p = &part[h % PARTS];

	pthread_mutex_lock(&p->lock);
	if (p->count >= p->buckets)
		grow(p);
	struct entry **at = place(p, key, h), *e = *at;

	if (!e && value) {
		e = *at = malloc(sizeof *e);
		*e = (struct entry){.key = copy(key), .value = copy(value)};
		p->count++;
	} else if (e) {
		free(e->value);
		e->value = value ? copy(value) : NULL;
	}
	if (e && !value) {
		*at = e->next;
		free(e->key);
		free(e);
		p->count--;
	}
	pthread_mutex_unlock(&p->lock);
}

static void work(long id)
{
	long entries = kernel_scaled(ENTRIES);
	char key[ROOM], value[ROOM];

	for (long i = kernel_first(entries, id); i < kernel_last(entries, id); i++) {
		snprintf(key, sizeof key, "user/%ld/name", i * 7919);
		snprintf(value, sizeof value, "the value of entry number %ld", i);
		set(key, value);
		if (i % 4 == 0)
			set(key, i % 8 == 0 ? NULL : "changed");
	}
}

int main(int argc, char **argv)
{
	uint64_t sum = 0;

	kernel_open(argc, argv);
	for (int i = 0; i < PARTS; i++)
		pthread_mutex_init(&part[i].lock, NULL);
	kernel_run(work);
	for (int i = 0; i < PARTS; i++)
		for (size_t b = 0; b < part[i].buckets; b++)
			for (struct entry *e = part[i].bucket[b]; e; e = e->next)
				sum += hash(e->key) ^ hash(e->value);
	return kernel_close(sum);
}
