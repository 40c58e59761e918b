/* SPDX-License-Identifier: MIT */
/* Two threads race; then the process ends in the way that the argument says. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include "../invisible.h"

static invisible_step_t step;
int x;

static void *child(void *arg)
{
	x = 1;
	invisible_advance(&step);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t;

	(void)argc;
	if (pthread_create(&t, NULL, child, NULL) != 0)
		return 3;
	invisible_await(&step, 1);
	x = 2;
	pthread_join(t, NULL);
	switch (argv[1][0]) {
	case 's':
		*(volatile int *)8 = 1;
		break;
	case 'k':
		raise(SIGKILL);
		break;
	case 't':
		raise(SIGTERM);
		break;
	case 'a':
		abort();
	}
	return 0;
}
