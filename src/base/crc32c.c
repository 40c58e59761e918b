/* SPDX-License-Identifier: MIT */
/*
 * CRC-32C, eight bytes at a time. tables[k][b] is what the byte b does to the sum
 * when k more bytes follow it; the sum is linear, so the eight look-ups are
 * independent of one another and are put together by xor.
 */
#include "base/crc32c.h"

#include "base/lock.h"

enum { SLICES = 8 };
static const uint32_t polynomial = 0x82f63b78;

static uint32_t tables[SLICES][256]; /* under lock until ready, then constant */
static bool ready;
static struct dh_lock lock;

static void fill(void)
{
	for (uint32_t b = 0; b < 256; b++) {
		uint32_t sum = b;
		for (int bit = 0; bit < 8; bit++)
			sum = (sum >> 1) ^ (sum & 1 ? polynomial : 0);
		tables[0][b] = sum;
	}
	for (int k = 1; k < SLICES; k++)
		for (uint32_t b = 0; b < 256; b++) {
			uint32_t before = tables[k - 1][b];
			tables[k][b] = (before >> 8) ^ tables[0][before & 255];
		}
}

static DH_COLD void make_tables(void)
{
	dh_lock(&lock);
	if (!ready)
		fill();
	/* Pairs with the acquire load below: who sees it sees the tables. */
	__atomic_store_n(&ready, true, __ATOMIC_RELEASE);
	dh_unlock(&lock);
}

static uint32_t step8(uint32_t crc, const uint8_t *p)
{
	crc ^= (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
	       (uint32_t)p[3] << 24;
	return tables[7][crc & 255] ^ tables[6][crc >> 8 & 255] ^
	       tables[5][crc >> 16 & 255] ^ tables[4][crc >> 24] ^ tables[3][p[4]] ^
	       tables[2][p[5]] ^ tables[1][p[6]] ^ tables[0][p[7]];
}

uint32_t dh_crc32c(uint32_t crc, const void *data, size_t n)
{
	const uint8_t *p = data;
	if (DH_UNLIKELY(!__atomic_load_n(&ready, __ATOMIC_ACQUIRE)))
		make_tables();
	crc = ~crc;
	for (; n >= 8; p += 8, n -= 8)
		crc = step8(crc, p);
	for (; n > 0; p++, n--)
		crc = (crc >> 8) ^ tables[0][(crc ^ *p) & 255];
	return ~crc;
}
