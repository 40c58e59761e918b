/* SPDX-License-Identifier: MIT */
/*
 * Types of the accesses of programs that tests of src/pass make up: an object of any type
 * may be at any place of their memory, and one whose name begins with u or w at any
 * address.
 */
#ifndef TESTS_LOOPS_TYPES_H
#define TESTS_LOOPS_TYPES_H

#include <stdint.h>

#define ANY	 __attribute__((may_alias))
#define ANYWHERE __attribute__((may_alias, aligned(1)))

typedef int8_t ANY c1;
typedef uint8_t ANY b1;
typedef int16_t ANY c2;
typedef int32_t ANY c4;
typedef uint32_t ANY b4;
typedef int64_t ANY c8;
typedef float ANY f4;
typedef double ANY f8;
typedef int16_t ANYWHERE u2;
typedef int32_t ANYWHERE u4;
typedef int64_t ANYWHERE u8;
typedef long long v16 __attribute__((vector_size(16), may_alias));
typedef long long w16 __attribute__((vector_size(16), may_alias, aligned(1)));

#endif
