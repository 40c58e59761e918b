/* SPDX-License-Identifier: MIT */
// A limit on address space that a program sets itself is meant for the program.
// output: 4294967296 1
// output: 1048576
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static char *block;

static void *work(void *arg)
{
	block[0] = 1; // race: a b
	return arg;
}

int main(void)
{
	struct rlimit limit = {(rlim_t)4 << 30, RLIM_INFINITY};
	pthread_t t, u;
	setrlimit(RLIMIT_AS, &limit);
	getrlimit(RLIMIT_AS, &limit);
	block = malloc(512 << 20);
	printf("%llu %d\n", (unsigned long long)limit.rlim_cur, block != NULL);
	fflush(stdout);
	pthread_create(&t, NULL, work, NULL);
	pthread_create(&u, NULL, work, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	free(block);
	limit.rlim_cur = (rlim_t)1 << 30;
	setrlimit(RLIMIT_AS, &limit);
	if (fork() == 0)
		execl("/bin/sh", "sh", "-c", "ulimit -v", (char *)NULL);
	wait(NULL);
	return 0;
}
