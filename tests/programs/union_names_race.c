/* SPDX-License-Identifier: MIT */
/* Which member of a union was used its size tells, or does not. */
// run: --verbose
// message: on value.number
// message: on bare.wide
// message: on ours.one|other
// message: on list[1].as.pair.second
// message: on mixed+2
#include "threads.h"

struct {
	int kind;
	union {
		char text[16];
		double number;
	};
} value;
union {
	int one;
	float other;
	long wide;
} bare, ours;
struct {
	long before;
	union {
		char letters[8];
		struct {
			int first, second;
		} pair;
	} as;
} list[2];
union {
	char bytes[4];
	short halves[2];
} mixed;
static invisible_step_t step;

static void one(void)
{
	value.number = 1;	    // race: a
	bare.wide = 1;		    // race: a
	ours.one = 1;		    // race: a
	list[1].as.pair.second = 1; // race: a
	mixed.halves[1] = 1;	    // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	value.number = 2;	    // race: b
	bare.wide = 2;		    // race: b
	ours.other = 2;		    // race: b
	list[1].as.pair.second = 2; // race: b
	mixed.bytes[2] = 2;	    // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
