/* SPDX-License-Identifier: MIT */
/* Two threads write into one string without a lock. */
#include <string>
#include <thread>
#include "invisible.h"

static std::string *text = new std::string(100, 'x');
static invisible_step_t step;

int main()
{
	std::thread one([] {
		(*text)[5] = 'a'; // race: a
		invisible_advance(&step);
	});
	std::thread two([] {
		invisible_await(&step, 1);
		(*text)[5] = 'b'; // race: b
	});

	one.join();
	two.join();
	return 0;
}
