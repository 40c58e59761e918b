/* SPDX-License-Identifier: MIT */
/* A hash table of strings with one lock to every 64th bucket: words are counted. */
#include "kernel.h"

#include <string.h>

enum { BUCKETS = 4096, STRIPES = 64, WORDS = 8000, STEPS = 800000, ROOM = 24 };

struct entry {
	struct entry *next;
	char word[ROOM];
	int count;
};

static struct entry *bucket[BUCKETS];
static pthread_mutex_t stripe[STRIPES];

static void spell(char *to, uint64_t n)
{
	int at = 0;

	memcpy(to, "word", 4);
	for (at = 4; n; n /= 10)
		to[at++] = (char)('0' + n % 10);
	to[at] = 0;
}

static void count(const char *word)
{
	unsigned hash = 5381;

	for (const char *p = word; *p; p++)
		hash = hash * 33 + (unsigned char)*p;
	hash %= BUCKETS;
	pthread_mutex_lock(&stripe[hash % STRIPES]);
	struct entry *e = bucket[hash];

	while (e && strcmp(e->word, word))
		e = e->next;
	if (!e) {
		e = malloc(sizeof *e);
		strcpy(e->word, word);
		e->count = 0;
		e->next = bucket[hash];
		bucket[hash] = e;
	}
	e->count++;
	pthread_mutex_unlock(&stripe[hash % STRIPES]);
}

static void work(long id)
{
	long steps = kernel_scaled(STEPS);
	char word[ROOM];

	for (long i = kernel_first(steps, id); i < kernel_last(steps, id); i++) {
		uint64_t seed = (uint64_t)i;

		spell(word, kernel_random(&seed) % WORDS);
		count(word);
	}
}

int main(int argc, char **argv)
{
	uint64_t sum = 0;

	kernel_open(argc, argv);
	for (int i = 0; i < STRIPES; i++)
		pthread_mutex_init(&stripe[i], NULL);
	kernel_run(work);
	for (int i = 0; i < BUCKETS; i++)
		for (struct entry *e = bucket[i]; e; e = e->next)
			sum += (uint64_t)e->count *
			       (uint64_t)(e->word[4] ? e->word[4] + e->word[5] : 0);
	return kernel_close(sum);
}
