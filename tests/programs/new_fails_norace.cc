/* SPDX-License-Identifier: MIT */
// output: handler 1, bad_alloc 1, null 1
/* Without memory, new calls the handler and throws; the other form returns null. */
#include <cstdint>
#include <cstdio>
#include <new>

static int handled, thrown, null;

static void handler()
{
	handled++;
	std::set_new_handler(nullptr);
}

int main()
{
	volatile std::size_t size = PTRDIFF_MAX - 100;
	std::set_new_handler(handler);
	try {
		delete[] new char[size];
	} catch (const std::bad_alloc &) {
		thrown++;
	}
	null += new (std::nothrow) char[size] == nullptr;
	std::printf("handler %d, bad_alloc %d, null %d\n", handled, thrown, null);
	return 0;
}
