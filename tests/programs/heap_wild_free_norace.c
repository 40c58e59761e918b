/* SPDX-License-Identifier: MIT */
// flags: -Wno-free-nonheap-object -fno-builtin
// message: no heap block
// output: goes on
/* So is a free of what is no block. */
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	char *volatile inside = malloc(100);
	free(inside + 16);
	puts("goes on");
	return 0;
}
