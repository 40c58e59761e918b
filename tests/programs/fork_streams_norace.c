/* SPDX-License-Identifier: MIT */
/* Threads fork while others read lines, which allocates with the stream locked, and flush all
 * streams, which waits for these with the list of them locked, as fork() does: nobody waits
 * for ever. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { READERS = 4, FLUSHES = 3000, LINE = 20000 };
static int over;

static int is_over(void)
{
	return __atomic_load_n(&over, __ATOMIC_RELAXED);
}

static FILE *one_line(void)
{
	FILE *f = tmpfile();

	for (int i = 0; i < LINE; i++)
		fputc('x', f);
	fflush(f); /* else a child would write it once more */
	return f;
}

static void *read_lines(void *stream)
{
	FILE *f = stream;

	while (!is_over()) {
		char *line = NULL;
		size_t room = 0;

		rewind(f);
		if (getline(&line, &room, f) != LINE)
			abort();
		free(line);
		sched_yield(); /* or who waits for the stream would starve */
	}
	fclose(f);
	return NULL;
}

static void *flush(void *arg)
{
	for (int i = 0; i < FLUSHES; i++)
		fflush(NULL);
	__atomic_store_n(&over, 1, __ATOMIC_RELAXED);
	return arg;
}

int main(void)
{
	pthread_t t[READERS + 1];
	int wrong = 0;

	FILE *lines[READERS];

	for (int i = 0; i < READERS; i++)
		lines[i] = one_line();
	for (int i = 0; i < READERS; i++)
		pthread_create(&t[i], NULL, read_lines, lines[i]);
	pthread_create(&t[READERS], NULL, flush, NULL);
	while (!is_over()) {
		int status = -1;
		pid_t pid = fork();

		if (pid == 0)
			_exit(0);
		wrong |= waitpid(pid, &status, 0) != pid || status;
	}
	for (int i = 0; i <= READERS; i++)
		pthread_join(t[i], NULL);
	return wrong;
}
