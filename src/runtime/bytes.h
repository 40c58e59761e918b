/* SPDX-License-Identifier: MIT */
/*
 * Copying, filling and comparing bytes for the runtime itself. The library interposes
 * memcpy and its kin, and compilers emit calls of those; base.h therefore binds the
 * names to these functions, in every file but those that define the interposed ones.
 *
 * Context: any, before relocation is done too. No locks, no memory, no libc.
 */
#ifndef DH_RUNTIME_BYTES_H
#define DH_RUNTIME_BYTES_H

#include <stddef.h>

/* As memcpy, memmove, memset, memcmp, strlen. */
void *dh_bytes_copy(void *to, const void *from, size_t n);
void *dh_bytes_move(void *to, const void *from, size_t n);
void *dh_bytes_fill(void *to, int byte, size_t n);
int dh_bytes_compare(const void *a, const void *b, size_t n);
size_t dh_bytes_length(const char *s);

/* The length of the shorter of two texts, or n where both are longer. Reads neither
 * beyond the page that its end, or its n-th byte, is in. */
size_t dh_bytes_shorter(const char *a, const char *b, size_t n);

#endif
