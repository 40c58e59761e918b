/* SPDX-License-Identifier: MIT */
/* A shared pointer protects the life of its object, not what is in it. */
#include <memory>
#include <thread>
#include "invisible.h"

static invisible_step_t step;

int main()
{
	auto first = std::make_shared<int>(0);
	std::thread one([first] {
		*first = 1; // race: a
		invisible_advance(&step);
	});
	std::thread two([first] {
		invisible_await(&step, 1);
		*first = 2; // race: b
	});

	one.join();
	two.join();
	return 0;
}
