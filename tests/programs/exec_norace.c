/* SPDX-License-Identifier: MIT */
/* A program becomes another, itself, in every way that there is. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int round = argc > 2 ? atoi(argv[2]) + 1 : 0;
	char number[12] = {(char)('0' + round)};
	char *const next[] = {argv[0], "x", number, NULL};
	char *const env[] = {"ROUND=1", NULL};
	const char *path = "/proc/self/exe";

	setenv("LD_LIBRARY_PATH", getenv("LD_LIBRARY_PATH") ? getenv("LD_LIBRARY_PATH") : "", 1);
	switch (round) {
	case 0:
		execl(path, argv[0], "x", number, NULL);
		return 2;
	case 1:
		execv(path, next);
		return 2;
	case 2:
		execve(path, next, environ);
		return 2;
	case 3:
		execvp(path, next);
		return 2;
	case 4:
		execvpe(path, next, environ);
		return 2;
	case 5:
		execlp(path, argv[0], "x", number, NULL);
		return 2;
	case 6:
		fexecve(open(path, O_RDONLY | O_CLOEXEC), next, environ);
		return 2;
	case 7:
		execle("/bin/sh", "sh", "-c", "test $ROUND = 1", NULL, env);
		return 2;
	default:
		return 2;
	}
}
