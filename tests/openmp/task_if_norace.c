/* SPDX-License-Identifier: MIT */
/* The condition does not hold: its maker waits for the task. */
int x;

int main(int argc, char **argv)
{
	(void)argv;
#pragma omp parallel
#pragma omp single
	{
#pragma omp task if (argc > 1)
		x = 1;
		x += 2;
	}
	return 0;
}
