/* SPDX-License-Identifier: MIT */
/* C code that exceptions pass through. */
void through_c(int depth, void (*f)(void));

static volatile int calls;

void through_c(int depth, void (*f)(void))
{
	if (depth > 0)
		through_c(depth - 1, f);
	else
		f();
	calls++;
}
