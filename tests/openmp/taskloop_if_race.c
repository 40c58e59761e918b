/* SPDX-License-Identifier: MIT */
/* Tasks that run later, next to their maker. */
int x;

int main(int argc, char **argv)
{
	(void)argv;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop num_tasks(4) if (argc > 0) // race: a b
	for (int i = 0; i < 16; i++)		// race: a b
		x += i;				// race: a b
	return 0;
}
