/* SPDX-License-Identifier: MIT */
/* libFuzzer on the text trace reader. */
#include "drain.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	drain(data, size);
	return 0;
}
