/* SPDX-License-Identifier: MIT */
/*
 * Blocks of a binary trace that somebody has changed bytes in: their lengths and check
 * sums made right again, so that what lies behind these is reached; and the same without
 * compression, so that there are bytes to change.
 */
#ifndef DH_TESTS_BLOCKS_H
#define DH_TESTS_BLOCKS_H

#include "trace/bytes.h"

/* Lengths that are too long are cut; nothing is added. */
void blocks_mend(uint8_t *data, size_t size);

/* What cannot be unpacked stays as it is. The bytes are the caller's to free. */
struct dh_bytes blocks_unpack(const uint8_t *data, size_t size);

#endif
