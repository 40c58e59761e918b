/* SPDX-License-Identifier: MIT */
/* A region whose condition does not hold has one member. */
int x;

int main(int argc, char **argv)
{
	(void)argv;
#pragma omp parallel if (argc > 1)
	x++;
	return 0;
}
