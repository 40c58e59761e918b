/* SPDX-License-Identifier: MIT */
// threads: 2
/* Members of the team are seen, lanes are not. */
int a[65], x;

int main(void)
{
#pragma omp parallel for simd schedule(static)
	for (int i = 0; i < 64; i++)
		x = a[i]; // race: a b
	return x;
}
