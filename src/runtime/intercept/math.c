/* SPDX-License-Identifier: MIT */
/*
 * Functions of <math.h> with a second result, which they write through a pointer.
 *
 * Most are in the mathematical library, which not each program is linked to. For these
 * ours are under the version that programs have bound them to, which the linker does not
 * take for new ones (symbols.map): a program that lacks -lm fails to be linked as it
 * would without us.
 */
#define _GNU_SOURCE
#include <math.h>
#include "runtime/intercept/bound.h"
#include "runtime/intercept/cxx.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/touch.h"

/* ---- those that the C library itself has ---- */

#define SPLIT(name, type, part)                                                          \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT type name(type x, part *to)                                            \
	{                                                                                \
		DH_WRITES_OBJECT(to, DH_CALLER());                                       \
		return DH_REAL(name)(x, to);                                             \
	}
SPLIT(frexp, double, int)
SPLIT(frexpf, float, int)
SPLIT(frexpl, long double, int)
SPLIT(modf, double, double)
SPLIT(modff, float, float)
SPLIT(modfl, long double, long double)

/* ---- those of the other library ---- */

#define SINE_AND_COSINE(name, type)                                                      \
	DH_EXPORT void dh_math_##name(type x, type *sine, type *cosine);                 \
	DH_BOUND(dh_math_##name, name);                                                  \
	void dh_math_##name(type x, type *sine, type *cosine)                            \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		DH_WRITES_OBJECT(sine, pc);                                              \
		DH_WRITES_OBJECT(cosine, pc);                                            \
		DH_CXX(name)(x, sine, cosine);                                           \
	}
SINE_AND_COSINE(sincos, double)
SINE_AND_COSINE(sincosf, float)
SINE_AND_COSINE(sincosl, long double)

#define REMAINDER(name, type)                                                            \
	DH_EXPORT type dh_math_##name(type x, type y, int *quotient);                    \
	DH_BOUND(dh_math_##name, name);                                                  \
	type dh_math_##name(type x, type y, int *quotient)                               \
	{                                                                                \
		DH_WRITES_OBJECT(quotient, DH_CALLER());                                 \
		return DH_CXX(name)(x, y, quotient);                                     \
	}
REMAINDER(remquo, double)
REMAINDER(remquof, float)
REMAINDER(remquol, long double)

#define LOG_GAMMA(name, type)                                                            \
	DH_EXPORT type dh_math_##name(type x, int *sign);                                \
	DH_BOUND(dh_math_##name, name);                                                  \
	type dh_math_##name(type x, int *sign)                                           \
	{                                                                                \
		DH_WRITES_OBJECT(sign, DH_CALLER());                                     \
		return DH_CXX(name)(x, sign);                                            \
	}
LOG_GAMMA(lgamma_r, double)
LOG_GAMMA(lgammaf_r, float)
LOG_GAMMA(lgammal_r, long double)
