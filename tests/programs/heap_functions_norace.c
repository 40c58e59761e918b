/* SPDX-License-Identifier: MIT */
// flags: -fno-builtin
// output: ok
/* What the allocation functions promise. */
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WANT(c)                                                                          \
	do {                                                                             \
		if (!(c))                                                                \
			printf("line %d: %s\n", __LINE__, #c);                           \
	} while (0)

int main(void)
{
	volatile size_t huge = PTRDIFF_MAX, many = SIZE_MAX / 4;
	void *p = malloc(0), *q = malloc(0);
	WANT(p && q && p != q);
	for (size_t size = 1; size < 3000000; size = size * 5 / 4 + 1) {
		char *a = malloc(size), *z = calloc(1, size);
		WANT((uintptr_t)a % 16 == 0 && malloc_usable_size(a) >= size);
		memset(a, 7, size);
		for (size_t i = 0; i < size; i++)
			WANT(z[i] == 0);
		a = realloc(a, size * 2);
		WANT(a[0] == 7 && a[size - 1] == 7);
		free(a);
		free(z);
	}
	for (size_t align = 16; align <= 1 << 21; align *= 2) {
		void *a = aligned_alloc(align, align), *b = NULL;
		WANT((uintptr_t)a % align == 0);
		WANT(posix_memalign(&b, align, 10) == 0 && (uintptr_t)b % align == 0);
		free(a);
		free(b);
	}
	WANT(posix_memalign(&p, 3, 1) == EINVAL);
	errno = 0;
	WANT(!malloc(huge) && errno == ENOMEM);
	WANT(!calloc(many, 8) && !reallocarray(NULL, many, 8));
	WANT(!realloc(malloc(1), 0));
	puts("ok");
	return 0;
}
