/* SPDX-License-Identifier: MIT */
// Limits on memory that a program sets itself, far below what watching it takes: they hold
// for what the program asks for, and for that alone.
// output: address space: 67108864, a little 1, much 0
// output: data: 67108864, a little 1, much 0
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { MIB = 1 << 20 };
int x;

static void *work(void *arg)
{
	x = 1; // race: a b
	return arg;
}

static void ask(const char *name)
{
	struct rlimit now;
	void *volatile little = malloc(MIB), *volatile much = malloc((size_t)200 * MIB);

	prlimit(0, *name == 'd' ? RLIMIT_DATA : RLIMIT_AS, NULL, &now);
	printf("%s: %llu, a little %d, much %d\n", name, (unsigned long long)now.rlim_cur,
	       little != NULL, much != NULL);
	fflush(stdout);
	free(little);
	free(much);
}

int main(void)
{
	const struct rlimit tight = {64 * MIB, RLIM_INFINITY};
	struct rlimit had;
	pthread_t t, u;

	setrlimit(RLIMIT_AS, &tight);
	pthread_create(&t, NULL, work, NULL);
	pthread_create(&u, NULL, work, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	ask("address space");
	had = (struct rlimit){RLIM_INFINITY, RLIM_INFINITY};
	setrlimit(RLIMIT_AS, &had);
	prlimit(0, RLIMIT_DATA, &tight, &had);
	ask("data");
	return had.rlim_cur == tight.rlim_cur;
}
