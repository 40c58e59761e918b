/* SPDX-License-Identifier: MIT */
/* CRC-32C: the known value, and the tables against the definition bit by bit. */
#include "dice.h"
#include "base/crc32c.h"

static uint32_t plain(uint32_t crc, const uint8_t *p, size_t n)
{
	crc = ~crc;
	for (; n > 0; p++, n--) {
		crc ^= *p;
		for (int i = 0; i < 8; i++)
			crc = crc & 1 ? crc >> 1 ^ 0x82f63b78 : crc >> 1;
	}
	return ~crc;
}

static void test_known(void **state)
{
	(void)state;
	static const uint8_t zeros[32];
	assert_int_equal(dh_crc32c(0, "123456789", 9), 0xe3069283);
	assert_int_equal(dh_crc32c(0, zeros, 32), 0x8a9136aa);
	assert_int_equal(dh_crc32c(0, "", 0), 0);
}

/* Every length and alignment, in one piece and in two. */
static void test_pieces(void **state)
{
	(void)state;
	struct dice d = {1};
	uint8_t bytes[96];
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)dice_roll(&d, 256);
	for (size_t at = 0; at < 9; at++)
		for (size_t n = 0; n + at <= sizeof bytes; n++) {
			size_t cut = dice_roll(&d, (uint32_t)n + 1);
			uint32_t whole = plain(0, bytes + at, n);
			uint32_t part = dh_crc32c(0, bytes + at, cut);
			assert_int_equal(dh_crc32c(0, bytes + at, n), whole);
			assert_int_equal(dh_crc32c(part, bytes + at + cut, n - cut),
					 whole);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_known),
	    cmocka_unit_test(test_pieces),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
