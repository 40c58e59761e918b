/* SPDX-License-Identifier: MIT */
/* A shared pointer protects the life of its object, not what is in it. Each thread's own
 * is made before the first starts: its count would order one's end before two's copy. */
#include <memory>
#include <thread>
#include <utility>
#include "invisible.h"

static invisible_step_t step;

int main()
{
	auto first = std::make_shared<int>(0), second = first;
	std::thread one([mine = std::move(first)] {
		*mine = 1; // race: a
		invisible_advance(&step);
	});
	std::thread two([mine = std::move(second)] {
		invisible_await(&step, 1);
		*mine = 2; // race: b
	});

	one.join();
	two.join();
	return 0;
}
