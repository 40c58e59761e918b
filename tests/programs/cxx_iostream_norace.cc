/* SPDX-License-Identifier: MIT */
// skip: libcxx
/* (libc++ sets the fill character of a stream at its first use, by any thread.) */
/* Streams of one thread each, the standard ones by all: the library sees to those. */
#include <iostream>
#include <sstream>
#include <thread>

static void work(int me)
{
	std::ostringstream out;

	for (int i = 0; i < 50; i++)
		out << me << ' ' << i << ' ' << 1.5 * i << std::hex << i << '\n';
	std::istringstream in(out.str());
	int a = 0, b = 0;
	in >> a >> b;
	if (a != me)
		std::cerr << "wrong\n";
	std::clog << "";
}

int main()
{
	std::thread one(work, 1), two(work, 2);

	one.join();
	two.join();
	return 0;
}
