/* SPDX-License-Identifier: MIT */
/* The kernel fft, its third argument the complex numbers to a detection unit (MultiRace,
 * Figure 17): 256 are a row, which one thread writes; more would be races by unit. */
#include "../../include/deadheat.h"

#define main fft_main
#include "../kernels/fft.c"
#undef main

int main(int argc, char **argv)
{
	long unit = argc > 3 ? atol(argv[3]) : 1;

	if (unit < 1 || unit > N) {
		fprintf(stderr, "usage: %s THREADS SCALE [NUMBERS-PER-UNIT]\n", argv[0]);
		return 2;
	}
	DEADHEAT_UNIT(first, sizeof first, (size_t)unit * sizeof(struct number));
	DEADHEAT_UNIT(second, sizeof second, (size_t)unit * sizeof(struct number));
	return fft_main(argc > 3 ? 3 : argc, argv);
}
