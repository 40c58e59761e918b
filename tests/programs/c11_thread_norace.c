/* SPDX-License-Identifier: MIT */
/* A thread comes after what its creator did, and who joins it after what it did. */
#include <threads.h>

int x;

static int child(void *arg)
{
	(void)arg;
	x++;
	return 7;
}

int main(void)
{
	thrd_t t;
	int value;

	x = 1;
	thrd_create(&t, child, NULL);
	thrd_join(t, &value);
	x++;
	return x == 3 && value == 7 ? 0 : 1;
}
