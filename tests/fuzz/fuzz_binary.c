/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer on the binary trace reader. After a mutation the lengths and check sums
 * of the file are made right again, most of the time, so that what lies behind them
 * is reached.
 */
#include "blocks.h"
#include "drain.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
			       unsigned int seed);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	drain(data, size);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
			       unsigned int seed)
{
	size = LLVMFuzzerMutate(data, size, max_size);
	if (seed % 16 != 0)
		blocks_mend(data, size);
	return size;
}
