/* SPDX-License-Identifier: MIT */
/* Other programs are started in every way. */
#define _GNU_SOURCE
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void handler(int number)
{
	(void)number;
}

int main(void)
{
	char *const command[] = {"sh", "-c", "exit 7", NULL};
	char line[16] = "";
	int wrong = 0, status;
	pid_t pid;

	signal(SIGINT, handler);
	signal(SIGCHLD, handler);
	if (posix_spawnp(&pid, "sh", NULL, NULL, command, environ) != 0)
		return 2;
	waitpid(pid, &status, 0);
	wrong |= WEXITSTATUS(status) != 7;
	wrong |= WEXITSTATUS(system("exit 7")) != 7;
	FILE *in = popen("echo seven", "r");
	wrong |= !in || !fgets(line, sizeof line, in) || strcmp(line, "seven\n") != 0;
	wrong |= pclose(in) != 0;
	wrong |= signal(SIGINT, SIG_DFL) != handler;
	return wrong;
}
