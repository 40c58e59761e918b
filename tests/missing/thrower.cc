// SPDX-License-Identifier: MIT
// A library that is not instrumented, and throws. See exceptions.cc.
#include <stdexcept>

extern "C" {
void thrower_throw(int n);
void thrower_call(void (*f)(int), int n, int *left);
int thrower_catch(void (*f)(int), int n);
}

namespace
{
struct count_on_exit {
	int *left;
	~count_on_exit()
	{
		++*left;
	}
};
} // namespace

void thrower_throw(int n)
{
	if (n)
		throw std::runtime_error("thrown");
}

void thrower_call(void (*f)(int), int n, int *left)
{
	count_on_exit c{left};
	f(n);
	++*left;
}

int thrower_catch(void (*f)(int), int n)
{
	try {
		f(n);
	} catch (std::exception &) {
		return 1;
	}
	return 0;
}
