/* SPDX-License-Identifier: MIT */
/* References to a locale are counted in good order; what is in its facet is the program's
 * own affair. */
#include <locale>
#include <thread>
#include "invisible.h"

struct greeting : std::locale::facet {
	static std::locale::id id;
	mutable int uses = 0;
};
std::locale::id greeting::id;

static invisible_step_t step;

static void one(const std::locale l)
{
	std::use_facet<greeting>(l).uses = 1; // race: a
	invisible_advance(&step);
}

static void two(const std::locale l)
{
	invisible_await(&step, 1);
	std::use_facet<greeting>(l).uses = 2; // race: b
}

int main()
{
	std::locale l(std::locale::classic(), new greeting);
	std::thread a(one, l), b(two, l);
	a.join();
	b.join();
	return 0;
}
