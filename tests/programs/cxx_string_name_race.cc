// SPDX-License-Identifier: MIT
// message: text is a global variable of 32 bytes
/* A global string, whose symbol has a tag of the library's behind its name. */
#include <string>
#include "threads.h"

static invisible_step_t step;
std::string text;

/* Its length, as it lies in memory. */
static size_t *length(void)
{
	return (size_t *)((char *)&text + sizeof(char *));
}

static void one(void)
{
	*length() = 0; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	*length() = 0; // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
