/* SPDX-License-Identifier: MIT */
/* A team of one, whatever the environment says. */
int x;

int main(void)
{
#pragma omp parallel num_threads(1)
	x++;
	return 0;
}
