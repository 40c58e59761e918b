/* SPDX-License-Identifier: MIT */
/* Attributes that say nothing of the stack leave a thread the usual one. */
#include <pthread.h>
#include <string.h>

static void *thread(void *arg)
{
	char large[1 << 20];

	(void)arg;
	memset(large, 1, sizeof large);
	return large[7] == 2 ? &thread : NULL;
}

int main(void)
{
	pthread_attr_t attr;
	pthread_t t;

	pthread_attr_init(&attr);
	pthread_create(&t, &attr, thread, NULL);
	pthread_join(t, NULL);
	return 0;
}
