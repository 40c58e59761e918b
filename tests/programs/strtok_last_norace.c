/* SPDX-License-Identifier: MIT */
/* strtok writes nothing where a text ends anyway. */
#include <pthread.h>
#include <string.h>
#include "invisible.h"

static char text[] = "one";
static invisible_step_t step;

static void *work(void *arg)
{
	char *token = strtok(text, " ");
	invisible_advance(&step);
	return token == text ? strtok(NULL, " ") : arg;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	invisible_await(&step, 1);
	int length = (int)strlen(text);
	pthread_join(thread, NULL);
	return length != 3;
}
