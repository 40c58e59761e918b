/* SPDX-License-Identifier: MIT */
// flags: -Wno-use-after-free -fno-builtin
// message: double free
// output: goes on
/* A double free is named, and does no harm. */
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	char *block = malloc(10);
	free(block);
	free(block);
	puts("goes on");
	return 0;
}
