/* SPDX-License-Identifier: MIT */
/* An instrumented plug-in that needs a library which the program does not. See host.c. */
#include "inside.h"

int plugin_run(void);

static void answer(void *to)
{
	*(int *)to = inside_add(20, 22);
}

int plugin_run(void)
{
	int result = 0;
	inside_call(answer, &result);
	return result;
}
