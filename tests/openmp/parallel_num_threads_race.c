/* SPDX-License-Identifier: MIT */
/* A team of two, whatever the environment says. */
int x;

int main(void)
{
#pragma omp parallel num_threads(2)
	x++; // race: a b
	return 0;
}
