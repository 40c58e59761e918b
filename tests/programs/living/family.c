/* SPDX-License-Identifier: MIT */
/* Processes of all kinds, made by several threads at once while others allocate, lock and
 * are hit by a timer's signals. Arguments: the kind, and how many each thread makes.
 *   fork     children that go on with threads of their own
 *   spawn    posix_spawn(), system() and popen()
 *   clone    children that share the memory for a while, or copy it
 *   load     a library (the third argument) comes and goes
 * Nothing is shared without order: there is no race to be found. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAKERS = 3, WORKERS = 2, STACK = 64 << 10 };
extern char **environ;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int many, over, failures;
static long shared;
static const char *library;
static atomic_int ticks;

static void tick(int number)
{
	(void)number;
	ticks++;
}

static int is_over(void)
{
	pthread_mutex_lock(&mutex);
	int now = over;
	shared++;
	pthread_mutex_unlock(&mutex);
	return now;
}

static void *work(void *arg)
{
	for (size_t i = 0; !is_over(); i++)
		free(memset(malloc(1 + i % 5000), 1, 1 + i % 5000));
	return arg;
}

static void fail_unless(int good)
{
	pthread_mutex_lock(&mutex);
	failures += !good;
	pthread_mutex_unlock(&mutex);
}

static int ends_well(pid_t pid)
{
	int status;

	return pid > 0 && TEMP_FAILURE_RETRY(waitpid(pid, &status, 0)) == pid &&
	       WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void *live(void *arg)
{
	for (size_t i = 1; i < 50; i++)
		free(memset(malloc(i * 100), 1, i * 100));
	return arg;
}

static void make_fork(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		pthread_t t[2];
		for (int i = 0; i < 2; i++)
			if (pthread_create(&t[i], NULL, live, NULL) != 0)
				_exit(1);
		for (int i = 0; i < 2; i++)
			pthread_join(t[i], NULL);
		_exit(0);
	}
	fail_unless(ends_well(pid));
}

static void make_spawn(void)
{
	char *argv[] = {"true", NULL}, text[8] = "";
	pid_t pid = -1;

	fail_unless(posix_spawnp(&pid, "true", NULL, NULL, argv, environ) == 0 &&
		    ends_well(pid));
	fail_unless(system("exit 0") == 0);
	FILE *pipe = popen("echo x", "r");
	fail_unless(pipe && fgets(text, sizeof text, pipe) && text[0] == 'x' &&
		    pclose(pipe) == 0);
}

static int return_it(void *value)
{
	return *(int *)value;
}

static void make_clone(void)
{
	char *stack = malloc(STACK);
	int value = 0;

	fail_unless(ends_well(clone(return_it, stack + STACK, CLONE_VM | CLONE_VFORK | SIGCHLD,
				    &value)));
	fail_unless(ends_well(clone(return_it, stack + STACK, SIGCHLD, &value)));
	free(stack);
}

static void make_load(void)
{
	void *handle = dlopen(library, RTLD_NOW);
	int (*sum)(void) = handle ? (int (*)(void))dlsym(handle, "plugin_sum") : NULL;

	fail_unless(sum && sum() == 1 && dlclose(handle) == 0);
}

static void *make(void *kind)
{
	const char *k = kind;

	for (int i = 0; i < many; i++)
		(*k == 'f' ? make_fork : *k == 's' ? make_spawn : *k == 'c' ? make_clone
									      : make_load)();
	return NULL;
}

int main(int argc, char **argv)
{
	struct sigaction a = {.sa_handler = tick, .sa_flags = SA_RESTART};
	struct itimerval every = {{0, 500}, {0, 500}}, never = {0};
	pthread_t makers[MAKERS], workers[WORKERS];

	if (argc < 3)
		return 2;
	many = atoi(argv[2]);
	library = argv[3];
	sigaction(SIGALRM, &a, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&workers[i], NULL, work, NULL);
	for (int i = 0; i < MAKERS; i++)
		pthread_create(&makers[i], NULL, make, argv[1]);
	for (int i = 0; i < MAKERS; i++)
		pthread_join(makers[i], NULL);
	pthread_mutex_lock(&mutex);
	over = 1;
	pthread_mutex_unlock(&mutex);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(workers[i], NULL);
	setitimer(ITIMER_REAL, &never, NULL);
	return failures != 0;
}
