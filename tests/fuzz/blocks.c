/* SPDX-License-Identifier: MIT */
/* See blocks.h. */
#include "blocks.h"

#include "base/crc32c.h"
#include "trace/format.h"

#include <string.h>
#include <zstd.h>

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

void blocks_mend(uint8_t *data, size_t size)
{
	if (size < DH_TRACE_HEADER_SIZE)
		return;
	memcpy(data, DH_TRACE_MAGIC, DH_TRACE_MAGIC_SIZE);
	put_u32(data + 12, dh_crc32c(0, data, 12));
	size_t at = DH_TRACE_HEADER_SIZE;
	while (size - at >= DH_BLOCK_HEADER_SIZE)
		at += mend_block(data + at, size - at);
}

static void unpack_block(struct dh_bytes *to, const uint8_t *p, size_t stored)
{
	const uint8_t *from = p + DH_BLOCK_HEADER_SIZE;
	size_t plain = u32_at(p + 8), head = to->len;
	size_t start = head + DH_BLOCK_HEADER_SIZE;
	dh_bytes_put(to, p, DH_BLOCK_HEADER_SIZE);
	if (p[1] == DH_CODEC_ZSTD && plain <= DH_BLOCK_MAX) {
		dh_vec_grow(to, start + plain);
		if (ZSTD_decompress(to->at + start, plain, from, stored) == plain) {
			to->at[head + 1] = DH_CODEC_RAW;
			put_u32(to->at + head + 4, plain);
			return;
		}
		to->len = start;
	}
	dh_bytes_put(to, from, stored);
}

struct dh_bytes blocks_unpack(const uint8_t *data, size_t size)
{
	struct dh_bytes out = {0};
	size_t at = DH_MIN(size, (size_t)DH_TRACE_HEADER_SIZE);
	dh_bytes_put(&out, data, at);
	while (size - at >= DH_BLOCK_HEADER_SIZE) {
		size_t stored = u32_at(data + at + 4);
		if (stored > size - at - DH_BLOCK_HEADER_SIZE)
			break;
		unpack_block(&out, data + at, stored);
		at += DH_BLOCK_HEADER_SIZE + stored;
	}
	blocks_mend(out.at, out.len);
	return out;
}
