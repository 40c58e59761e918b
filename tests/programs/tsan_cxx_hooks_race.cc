/* SPDX-License-Identifier: MIT */
// output: begins
// output: failed
/* The hooks of ThreadSanitizer that C++ programs know by other names. */
#include <cstdio>
#include <thread>
#include "invisible.h"

namespace __tsan
{
void OnInitialize()
{
	puts("begins");
}

bool OnFinalize(bool failed)
{
	puts(failed ? "failed" : "did not fail");
	return failed;
}
} // namespace __tsan

int data;
static invisible_step_t step;

int main()
{
	std::thread one([] {
		data = 1; // race: a
		invisible_advance(&step);
	});

	invisible_await(&step, 1);
	data = 2; // race: b
	one.join();
	return 0;
}
