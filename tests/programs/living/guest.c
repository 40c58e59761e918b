/* SPDX-License-Identifier: MIT */
/* A program that looks around after a race, so after the helper has been started: says
 * what there is that would not be without. Arguments:
 *   adopt         asks for the orphans among its descendants first
 *   close WAY     closes all files from 3 on: each, range, from; or puts its own there: copy
 *   signals       has a handler for every signal, and raises each */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../invisible.h"

static invisible_step_t step;
static volatile sig_atomic_t handled;
int x, y;

static void count_signal(int number)
{
	(void)number;
	handled++;
}

static void *child(void *variable)
{
	*(int *)variable = 1;
	invisible_advance(&step);
	return NULL;
}

static void race(int *variable)
{
	pthread_t t;
	int before = step.value;

	pthread_create(&t, NULL, child, variable);
	invisible_await(&step, before + 1);
	*variable = 2;
	pthread_join(t, NULL);
}

static int entries(const char *path)
{
	DIR *folder = opendir(path);
	int n = 0;

	while (folder && readdir(folder))
		n++;
	if (folder)
		closedir(folder);
	return n;
}

static void close_all(const char *way)
{
	if (!strcmp(way, "range"))
		close_range(3, ~0U, 0);
	else if (!strcmp(way, "from"))
		closefrom(3);
	for (int fd = 3; fd < 1024; fd++) {
		if (!strcmp(way, "each"))
			close(fd);
		else if (!strcmp(way, "copy"))
			dup2(0, fd);
	}
}

/* Its only child is one that it makes; and it is told of that alone. */
static void look_for_children(void)
{
	pid_t own, seen;
	int strangers = 0, count = 0;

	handled = 0;
	signal(SIGCHLD, count_signal);
	own = fork();
	if (own == 0)
		_exit(0);
	while ((seen = wait(NULL)) > 0) {
		count++;
		strangers += seen != own;
	}
	printf("children %d, strangers %d, at the end %s, signals %d\n", count, strangers,
	       errno == ECHILD ? "none" : "?", (int)handled);
}

static void raise_all(void)
{
	int raised = 0;

	handled = 0;
	for (int i = 1; i <= SIGRTMAX; i++) {
		if (i == SIGKILL || i == SIGSTOP || signal(i, count_signal) == SIG_ERR)
			continue;
		raised++;
		raise(i);
	}
	printf("signals %s\n", raised == handled ? "all" : "not all");
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";
	int tasks = entries("/proc/self/task");

	if (!strcmp(way, "adopt"))
		prctl(PR_SET_CHILD_SUBREAPER, 1);
	prctl(PR_SET_PDEATHSIG, SIGUSR1);
	race(&x);
	if (argc > 2)
		close_all(argv[2]);
	if (!strcmp(way, "signals"))
		raise_all();
	printf("threads %d\n", entries("/proc/self/task") - tasks);
	look_for_children();
	race(&y);
	return 0;
}
