/* SPDX-License-Identifier: MIT */
/* Words copied to bytes, one by one, which a compiler may make one large load of. */
#include "threads.h"

static invisible_step_t step;
unsigned words[8];
unsigned char bytes[8];

static void narrow(void)
{
	unsigned *w = words;
	unsigned char *b = bytes;

	b[0] = w[0] + 1, b[1] = w[1] + 1, b[2] = w[2] + 1, b[3] = w[3] + 1; // race: a
	b[4] = w[4] + 1, b[5] = w[5] + 1, b[6] = w[6] + 1, b[7] = w[7] + 1; // race: a
	invisible_advance(&step);
}

static void change(void)
{
	invisible_await(&step, 1);
	words[6] = 1; // race: b
}

int main(void)
{
	run_threads(2, narrow, change);
	return 0;
}
