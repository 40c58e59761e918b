/* SPDX-License-Identifier: MIT */
// skip: libcxx
/* A facet of the program's own, in locales that several threads have: the library counts
 * its references, and the last one calls a destructor that is watched. Order by locales
 * that are copied, assigned, made from each other, global, or part of a stream. */
#include <locale>
#include <sstream>
#include <thread>
#include "invisible.h"

struct greeting : std::locale::facet {
	static std::locale::id id;
	int length = 5;
	~greeting() override { length = 0; }
};
std::locale::id greeting::id;

/* Another numpunct has a companion for strings of the old kind. */
struct marks : std::numpunct<char> {
	char point = '!';
	char do_decimal_point() const override { return point; }
	~marks() override { point = 0; }
};

static invisible_step_t step;

static int length_in(const std::locale &l)
{
	return std::use_facet<greeting>(l).length;
}

static void one(std::locale *mine)
{
	std::locale copy = *mine;
	std::ostringstream out;
	out.imbue(copy);
	out << length_in(copy) + 0.5;
	out.imbue(std::locale::classic());
	copy = std::locale::classic();
	delete mine;
	invisible_advance(&step);
}

static void two(std::locale *mine)
{
	invisible_await(&step, 1);
	delete mine;
}

static void three()
{
	for (int i = 0; i < 20; i++) {
		std::locale::global(std::locale(std::locale(), new greeting));
		length_in(std::locale());
	}
}

int main()
{
	std::locale *first = new std::locale(std::locale::classic(), new greeting);
	*first = std::locale(*first, new marks);
	std::locale *second = new std::locale(*first, std::locale::classic(),
					      std::locale::ctype);
	std::thread a(one, first), b(two, second), c(three), d(three);
	a.join();
	b.join();
	c.join();
	d.join();
	return 0;
}
