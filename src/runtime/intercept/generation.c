/* SPDX-License-Identifier: MIT */
/*
 * Functions of which the C library has two generations that differ. A program linked by
 * `gcc -fsanitize=thread` has bound them to the sanitizer's library, which has no
 * generations; what is not in ours the C library would give it of the oldest one. So
 * these are here to pass the call on to the newest. Others of the kind are interposed
 * for their own sake elsewhere.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include "runtime/abi.h"
#include "runtime/intercept/real.h"

DH_REAL_WANT(pthread_attr_getaffinity_np);

DH_EXPORT int pthread_attr_getaffinity_np(const pthread_attr_t *attr, size_t size,
					  cpu_set_t *set)
{
	return DH_REAL(pthread_attr_getaffinity_np)(attr, size, set);
}
