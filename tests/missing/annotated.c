/* SPDX-License-Identifier: MIT */
/* Missing methods that the program itself tells of: nested, left by a jump, left open by
 * a function, and none at all where it is not watched. */
#include <setjmp.h>
#include <stddef.h>
#include <stdlib.h>
#include "deadheat.h"

static jmp_buf env;
static int global;

__attribute__((noinline)) static void left_by_jump(int *p)
{
	DEADHEAT_MISSING_BEGIN("left by jump", p);
	longjmp(env, 1);
}

__attribute__((noinline)) static void left_open(int *p)
{
	DEADHEAT_MISSING_BEGIN("open", p);
}

int main(void)
{
	int *p = calloc(4, sizeof *p);
	DEADHEAT_MISSING_BEGIN("outer", p);
	DEADHEAT_GLOBAL(global);
	DEADHEAT_MISSING_BEGIN("inner", p, p + 1, &global);
	DEADHEAT_MISSING_END();
	DEADHEAT_MISSING_END();
	DEADHEAT_MISSING_END();
	if (!setjmp(env))
		left_by_jump(p);
	left_open(p);
	DEADHEAT_MISSING_BEGIN("none");
	DEADHEAT_MISSING_END();
	free(p);
	return 0;
}
