/* SPDX-License-Identifier: MIT */
/* Locales and their facets are shared by all threads, and counted by the library. */
#include <locale>
#include <sstream>
#include <thread>

static void work(int me)
{
	for (int i = 0; i < 20; i++) {
		std::locale copy = std::locale::classic();
		std::locale global;
		std::ostringstream out;
		out.imbue(copy);
		out << std::use_facet<std::ctype<char>>(global).toupper('a') << me;
		std::locale mixed(global, copy, std::locale::numeric);
		out.imbue(mixed);
		out << 1000000 + i;
	}
}

int main()
{
	std::thread one(work, 1), two(work, 2);

	one.join();
	two.join();
	return 0;
}
