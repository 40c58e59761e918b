/* SPDX-License-Identifier: MIT */
// threads: 2
/* A region whose condition holds has a team. */
int x;

int main(int argc, char **argv)
{
	(void)argv;
#pragma omp parallel if (argc > 0)
	x++; // race: a b
	return 0;
}
