/* SPDX-License-Identifier: MIT */
/* The condition does not hold: the tasks run where they are made. */
int x;

int main(int argc, char **argv)
{
	(void)argv;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop num_tasks(4) if (argc > 1)
	for (int i = 0; i < 16; i++)
		x += i;
	return 0;
}
