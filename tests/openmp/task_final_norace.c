/* SPDX-License-Identifier: MIT */
/* Final: the tasks of the task run where they are made. */
int x;

int main(int argc, char **argv)
{
	(void)argv;
#pragma omp parallel
#pragma omp single
	{
#pragma omp task final(argc > 0)
		{
#pragma omp task
			x = 1;
#pragma omp task
			x = 2;
		}
	}
	return 0;
}
