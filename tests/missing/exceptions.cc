// SPDX-License-Identifier: MIT
// Exceptions that pass calls of thrower.cc, caught at the call and further out, by either
// side; and stacks through them.
#include <cstdio>
#include <execinfo.h>
#include <stdexcept>
#include <thread>

extern "C" {
void thrower_throw(int n);
void thrower_call(void (*f)(int), int n, int *left);
int thrower_catch(void (*f)(int), int n);
}

static int left;

struct call_on_exit {
	~call_on_exit()
	{
		thrower_call(thrower_throw, 0, &left);
	}
};

static void pass_on(int n)
{
	thrower_call(thrower_throw, n, &left);
}

static void deep(int n)
{
	call_on_exit c;
	if (n)
		thrower_call(deep, n - 1, &left);
	else
		thrower_throw(1);
}

static void *outermost;

static void stack(int)
{
	void *at[64];
	int n = backtrace(at, 64);
	bool found = false;
	for (int i = 0; i < n; i++)
		found |= at[i] == outermost || (char *)at[i] + 1 == outermost;
	std::printf("stack %d\n", found);
}

__attribute__((noinline)) static int stacks()
{
	outermost = __builtin_return_address(0);
	thrower_call(stack, 0, &left);
	return left;
}

int main()
{
	try {
		thrower_throw(1);
	} catch (std::exception &e) {
		std::printf("at the call: %s\n", e.what());
	}
	try {
		pass_on(1);
	} catch (std::exception &e) {
		std::printf("further out: %s %d\n", e.what(), left);
	}
	std::printf("inside: %d\n", thrower_catch(thrower_throw, 1));
	std::printf("through both: %d\n", thrower_catch(pass_on, 1));
	std::printf("none: %d\n", thrower_catch(pass_on, 0));
	std::thread([] {
		for (int i = 0; i < 500; i++)
			try {
				deep(5);
			} catch (...) {
			}
	}).join();
	std::printf("deep: %d\n", left);
	return stacks() < 0;
}
