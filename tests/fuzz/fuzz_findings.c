/* SPDX-License-Identifier: MIT */
/* libFuzzer on the readers of findings, and on what is made of them. */
#include "merge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	merge(data, size);
	return 0;
}
