/* SPDX-License-Identifier: MIT */
// flags: -fopenmp
// skip: clang
/* Threads of a team come after who began the region, and before what follows it. */
static int in[64], out[64];

int main(void)
{
	for (int round = 0; round < 20; round++) {
		for (int i = 0; i < 64; i++)
			in[i] = round + i;
#pragma omp parallel for num_threads(4)
		for (int i = 0; i < 64; i++)
			out[i] = in[i] + 1;
		for (int i = 0; i < 64; i++)
			if (out[i] != round + i + 1)
				return 1;
	}
	return 0;
}
