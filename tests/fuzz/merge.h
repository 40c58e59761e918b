/* SPDX-License-Identifier: MIT */
/* Findings from any bytes to a report in each form: for the fuzzer, and for the unit test
 * that replays what it found. */
#ifndef TESTS_FUZZ_MERGE_H
#define TESTS_FUZZ_MERGE_H

#include <stddef.h>
#include <stdint.h>

/* How many causes there were. Checks that what was printed holds no control characters.
 */
size_t merge(const uint8_t *data, size_t size);

#endif
