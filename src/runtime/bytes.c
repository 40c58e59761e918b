/* SPDX-License-Identifier: MIT */
/*
 * See bytes.h. Short runs go in words that may overlap, middle ones in 16-byte steps,
 * long ones by the processor's own string instruction where it has one. The loops
 * contain an empty asm so that the compiler does not make a call of memcpy out of them.
 */
#include "runtime/bytes.h"
#include "base/base.h"

typedef uint64_t word __attribute__((aligned(1), may_alias));
typedef uint32_t half __attribute__((aligned(1), may_alias));
typedef uint16_t quarter __attribute__((aligned(1), may_alias));
typedef uint64_t pair __attribute__((vector_size(16), aligned(1), may_alias));

#define NO_IDIOM() __asm__ volatile("" ::: "memory")

enum { PAIR = sizeof(pair), LONG = 1024 };

/* At most 16 bytes: everything is read before anything is written. */
static void copy_short(char *to, const char *from, size_t n)
{
	if (n >= 8) {
		word a = *(const word *)from, b = *(const word *)(from + n - 8);
		*(word *)to = a;
		*(word *)(to + n - 8) = b;
	} else if (n >= 4) {
		half a = *(const half *)from, b = *(const half *)(from + n - 4);
		*(half *)to = a;
		*(half *)(to + n - 4) = b;
	} else if (n >= 2) {
		quarter a = *(const quarter *)from, b = *(const quarter *)(from + n - 2);
		*(quarter *)to = a;
		*(quarter *)(to + n - 2) = b;
	} else if (n) {
		*to = *from;
	}
}

/* Upwards: right where `to` is below `from`, or they do not meet. */
static void copy_up(char *to, const char *from, size_t n)
{
#if defined(__x86_64__)
	if (n >= LONG) {
		__asm__ volatile("rep movsb"
				 : "+D"(to), "+S"(from), "+c"(n)
				 :
				 : "memory");
		return;
	}
#endif
	pair last = *(const pair *)(from + n - PAIR);
	char *end = to + n - PAIR;
	for (; to < end; to += PAIR, from += PAIR) {
		*(pair *)to = *(const pair *)from;
		NO_IDIOM();
	}
	*(pair *)end = last;
}

static void copy_down(char *to, const char *from, size_t n)
{
	pair first = *(const pair *)from;
	for (size_t at = n; at > PAIR; at -= PAIR) {
		*(pair *)(to + at - PAIR) = *(const pair *)(from + at - PAIR);
		NO_IDIOM();
	}
	*(pair *)to = first;
}

void *dh_bytes_copy(void *to, const void *from, size_t n)
{
	if (n <= PAIR)
		copy_short(to, from, n);
	else
		copy_up(to, from, n);
	return to;
}

void *dh_bytes_move(void *to, const void *from, size_t n)
{
	if (n <= PAIR)
		copy_short(to, from, n);
	else if ((uintptr_t)to - (uintptr_t)from >= n)
		copy_up(to, from, n);
	else
		copy_down(to, from, n);
	return to;
}

void *dh_bytes_fill(void *to, int byte, size_t n)
{
	char *p = to;
	uint64_t w = (uint8_t)byte * 0x0101010101010101ull;
	if (n < PAIR) {
		for (; n >= 8; p += 8, n -= 8) {
			*(word *)p = w;
			NO_IDIOM();
		}
		for (; n; p++, n--) {
			*p = (char)byte;
			NO_IDIOM();
		}
		return to;
	}
#if defined(__x86_64__)
	if (n >= LONG) {
		__asm__ volatile("rep stosb" : "+D"(p), "+c"(n) : "a"(byte) : "memory");
		return to;
	}
#endif
	pair v = {w, w};
	for (char *end = p + n - PAIR; p < end; p += PAIR) {
		*(pair *)p = v;
		NO_IDIOM();
	}
	*(pair *)((char *)to + n - PAIR) = v;
	return to;
}

int dh_bytes_compare(const void *a, const void *b, size_t n)
{
	const uint8_t *p = a, *q = b;
	for (; n >= 8 && *(const word *)p == *(const word *)q; n -= 8) {
		p += 8;
		q += 8;
		NO_IDIOM();
	}
	for (; n; p++, q++, n--) {
		if (*p != *q)
			return *p - *q;
		NO_IDIOM();
	}
	return 0;
}

/* Has a word a zero byte? The lowest that has its top bit set in the answer is one. */
static uint64_t zeros_of(uint64_t w)
{
	const uint64_t ones = 0x0101010101010101ull, tops = ones << 7;
	return (w - ones) & ~w & tops;
}

/* By aligned words, which never reach into a page that the text is not in. */
size_t dh_bytes_length(const char *s)
{
	const char *p = s;
	for (; (uintptr_t)p % sizeof(word); p++)
		if (!*p)
			return (size_t)(p - s);
	for (;; p += sizeof(word)) {
		uint64_t zeros = zeros_of(*(const word *)p);
		if (zeros)
			return (size_t)(p - s) + (unsigned)__builtin_ctzll(zeros) / 8;
	}
}

/* Does a word at p stay in p's page? */
static bool in_page(const char *p)
{
	enum { PAGE = 4096 };
	return (uintptr_t)p % PAGE <= PAGE - sizeof(word);
}

size_t dh_bytes_shorter(const char *a, const char *b, size_t n)
{
	size_t i = 0;
	while (i < n) {
		if (DH_LIKELY(in_page(a + i) && in_page(b + i))) {
			uint64_t zeros = zeros_of(*(const word *)(a + i)) |
					 zeros_of(*(const word *)(b + i));
			if (zeros) {
				i += (unsigned)__builtin_ctzll(zeros) / 8;
				break;
			}
			i += sizeof(word);
		} else {
			if (!a[i] || !b[i])
				break;
			i++;
		}
	}
	return i < n ? i : n;
}
