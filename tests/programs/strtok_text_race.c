/* SPDX-License-Identifier: MIT */
/* strtok looks at the text that it takes apart. */
#include <pthread.h>
#include <string.h>
#include "invisible.h"

static char text[] = "one two";
static invisible_step_t step;

static void *work(void *arg)
{
	strtok(text, " "); // race: a
	invisible_advance(&step);
	return arg;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	invisible_await(&step, 1);
	text[1] = 'k'; // race: b
	pthread_join(thread, NULL);
	return 0;
}
