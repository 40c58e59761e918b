/* SPDX-License-Identifier: MIT */
/* Of a word that was read whole one byte is read again: the race is with the former. */
#include "threads.h"

static invisible_step_t step;
static union {
	unsigned word;
	unsigned char bytes[4];
} u;
unsigned seen;

static void look(void)
{
	seen = u.word; // race: a
	seen += u.bytes[0];
	invisible_advance(&step);
}

static void change(void)
{
	invisible_await(&step, 1);
	u.bytes[2] = 1; // race: b
}

int main(void)
{
	run_threads(2, look, change);
	return 0;
}
