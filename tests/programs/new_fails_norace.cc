/* SPDX-License-Identifier: MIT */
// output: handler 1, bad_alloc 1, null 1
/* Without memory, new calls the handler and throws; the other form returns null. */
#include <cstdint>
#include <cstdio>
#include <new>

static int handled, thrown, null;
static char *volatile got; /* so that the compiler leaves nothing out */

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
		got = new char[size];
	} catch (const std::bad_alloc &) {
		thrown++;
	}
	got = new (std::nothrow) char[size];
	null += got == nullptr;
	std::printf("handler %d, bad_alloc %d, null %d\n", handled, thrown, null);
	return 0;
}
