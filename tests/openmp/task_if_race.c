/* SPDX-License-Identifier: MIT */
/* The condition holds: the task may run later. */
int x;

int main(int argc, char **argv)
{
	(void)argv;
#pragma omp parallel
#pragma omp single
	{
#pragma omp task if (argc > 0)
		x = 1;	// race: a
		x += 2; // race: b
	}
	return 0;
}
