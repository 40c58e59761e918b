/* SPDX-License-Identifier: MIT */
/*
 * What the fuzzers and the replay of their corpus do with an input: read it to its
 * end, write what was read as text and as binary, read both again and compare. A
 * broken promise ends the process, which is what a fuzzer looks for.
 */
#ifndef DH_TESTS_DRAIN_H
#define DH_TESTS_DRAIN_H

#include <stddef.h>
#include <stdint.h>

/* Returns how many events the input gave before its end, error or damage. */
uint64_t drain(const uint8_t *data, size_t len);

#endif
