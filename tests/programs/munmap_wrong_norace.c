/* SPDX-License-Identifier: MIT */
/* Calls of munmap that the kernel refuses, and mappings as large as it gives, take no
 * time and do no harm. */
#include <stddef.h>
#include <sys/mman.h>

int main(void)
{
	void *p =
	    mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE, -1, 0);
	size_t large = (size_t)1 << 40;

	munmap(p, (size_t)1 << 60);
	munmap(p, (size_t)-4096);
	munmap(NULL, (size_t)-1);
	munmap((char *)p + 1, 4096);
	munmap(p, 0);
	for (int i = 0; i < 20; i++) {
		void *q = mmap(NULL, large, PROT_NONE,
			       MAP_ANONYMOUS | MAP_PRIVATE | MAP_NORESERVE, -1, 0);
		if (q != MAP_FAILED)
			munmap(q, large);
	}
	*(int *)p = 1;
	return munmap(p, 4096);
}
