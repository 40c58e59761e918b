/* SPDX-License-Identifier: MIT */
/* Not final: the tasks of the task are in no order. */
int x;

int main(int argc, char **argv)
{
	(void)argv;
#pragma omp parallel
#pragma omp single
	{
#pragma omp task final(argc > 1)
		{
#pragma omp task
			x = 1; // race: a
#pragma omp task
			x = 2; // race: b
		}
	}
	return 0;
}
