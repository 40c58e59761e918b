/* SPDX-License-Identifier: MIT */
/*
 * usage: measure COMMAND...
 * Runs a command and writes, as the last line of standard error, its CPU time in seconds,
 * its peak resident memory in KiB, and how long it took in seconds. A program of its own
 * because the kernel counts the memory of the process that starts a command as the
 * command's.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	struct rusage used;
	int status;

	if (argc < 2)
		return 2;
	double start = now();
	pid_t child = fork();

	if (child == 0) {
		execv(argv[1], argv + 1);
		perror(argv[1]);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &used) < 0) {
		perror("measure");
		return 2;
	}
	fprintf(stderr, "%.6f %ld %.6f\n", seconds(used.ru_utime) + seconds(used.ru_stime),
		used.ru_maxrss, now() - start);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
