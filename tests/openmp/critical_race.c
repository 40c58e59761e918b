/* SPDX-License-Identifier: MIT */
// threads: 2
/* One of two accesses is outside of the critical section. */
int x;

int main(void)
{
#pragma omp parallel
	{
#pragma omp critical
		x++;	// race: a
		x += 2; // race: a b
	}
	return 0;
}
