/* SPDX-License-Identifier: MIT */
/*
 * CRC-32C (Castagnoli): the check sum of trace blocks. Reflected polynomial
 * 0x82f63b78, initial value and final xor all ones, so that the sum of the nine
 * digits "123456789" is 0xe3069283.
 *
 * Safe for concurrent use. The first call makes the tables under a lock, so it is
 * not for a signal handler; allocates nothing.
 */
#ifndef DH_BASE_CRC32C_H
#define DH_BASE_CRC32C_H

#include "base/base.h"

/* The sum of n bytes that follow others whose sum is crc; 0 for none before. */
uint32_t dh_crc32c(uint32_t crc, const void *data, size_t n);

#endif
