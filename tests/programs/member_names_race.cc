/* SPDX-License-Identifier: MIT */
/* Members are called by their names beside others that have no place of their own:
 * bit-fields, which share one, static members, and bases that are virtual. */
// run: --verbose
// message: on flags.low..high
// message: on flags.byte
// message: on point.x
// message: on object.own
#include <thread>
#include "invisible.h"

struct packed {
	unsigned low : 3, high : 7;
	unsigned char byte;
} flags;

struct with_static {
	static int count;
	int x;
} point;

struct base {
	virtual ~base()
	{
	}
	int inherited;
};

struct derived : virtual base {
	int own;
} object;

static invisible_step_t step;

static void change()
{
	flags.high++;	// race: a b
	flags.byte = 1; // race: a b
	point.x = 1;	// race: a b
	object.own = 1; // race: a b
}

int main()
{
	std::thread one([] {
		change();
		invisible_advance(&step);
	});
	std::thread two([] {
		invisible_await(&step, 1);
		change();
	});

	one.join();
	two.join();
	return 0;
}
