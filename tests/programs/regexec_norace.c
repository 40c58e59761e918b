/* SPDX-License-Identifier: MIT */
/* One expression for all threads, which the C library has a lock for. Where nothing is
 * found, or asked for, nothing is written. */
#include <regex.h>
#include <stdlib.h>
#include "threads.h"

static regex_t regex, other;
static regmatch_t kept[1];
static invisible_step_t step;

static void search(void)
{
	regmatch_t found[2];

	for (int i = 0; i < 20; i++)
		if (regexec(&regex, "an example", 2, found, 0) || found[1].rm_so != 4)
			abort();
	if (!regexec(&regex, "none", 1, kept, 0) || regexec(&other, "n", 1, kept, 0))
		abort();
}

static void one(void)
{
	search();
	invisible_advance(&step);
}

static void two(void)
{
	search();
	invisible_await(&step, 1);
	kept[0].rm_so = 1;
}

int main(void)
{
	regcomp(&regex, "e(x)a", REG_EXTENDED);
	regcomp(&other, "n", REG_NOSUB);
	run_threads(2, one, two);
	regfree(&regex);
	regfree(&other);
	return 0;
}
