/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer on the binary trace reader. After a mutation the lengths and check sums
 * of the file are made right again, most of the time, so that what lies behind them
 * is reached.
 */
#include "drain.h"

#include "base/crc32c.h"
#include "trace/format.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
			       unsigned int seed);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	drain(data, size);
	return 0;
}

static void put_u32(uint8_t *p, size_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

static size_t u32_at(const uint8_t *p)
{
	return (size_t)p[0] | (size_t)p[1] << 8 | (size_t)p[2] << 16 | (size_t)p[3] << 24;
}

/* Makes one block right, and returns how many bytes it takes. */
static size_t mend_block(uint8_t *p, size_t left)
{
	size_t rest = left - DH_BLOCK_HEADER_SIZE, stored = u32_at(p + 4);
	if (stored > rest)
		put_u32(p + 4, stored = rest);
	if (p[1] == DH_CODEC_RAW)
		put_u32(p + 8, stored);
	uint32_t crc = dh_crc32c(0, p, DH_BLOCK_CRC_AT);
	put_u32(p + DH_BLOCK_CRC_AT, dh_crc32c(crc, p + DH_BLOCK_HEADER_SIZE, stored));
	return DH_BLOCK_HEADER_SIZE + stored;
}

static void mend(uint8_t *data, size_t size)
{
	if (size < DH_TRACE_HEADER_SIZE)
		return;
	memcpy(data, DH_TRACE_MAGIC, DH_TRACE_MAGIC_SIZE);
	put_u32(data + 12, dh_crc32c(0, data, 12));
	size_t at = DH_TRACE_HEADER_SIZE;
	while (size - at >= DH_BLOCK_HEADER_SIZE)
		at += mend_block(data + at, size - at);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
			       unsigned int seed)
{
	size = LLVMFuzzerMutate(data, size, max_size);
	if (seed % 16 != 0)
		mend(data, size);
	return size;
}
