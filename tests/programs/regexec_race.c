/* SPDX-License-Identifier: MIT */
/* The text that is searched, what is found there, and the expression itself. */
#include <regex.h>
#include <string.h>
#include "threads.h"

static char text[] = "an example";
static regex_t regex;
static regmatch_t found[2];
static invisible_step_t step;

static void one(void)
{
	regexec(&regex, text, 2, found, 0); // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	text[4] = 'A';	    // race: b
	found[1].rm_so = 0; // race: b
	regfree(&regex);    // race: b
}

int main(void)
{
	regcomp(&regex, "e(x)a", REG_EXTENDED);
	run_threads(2, one, two);
	return 0;
}
