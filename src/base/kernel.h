/* SPDX-License-Identifier: MIT */
/*
 * System calls past libc, for what we do behind the program's back: no
 * interposed function is entered, no cancellation point passed, errno stays as it is.
 * Any thread, any time.
 */
#ifndef DH_BASE_KERNEL_H
#define DH_BASE_KERNEL_H

#include "base/base.h"

#include <asm/errno.h>
#include <asm/unistd.h>

/* The result, or -errno. */
#if defined(__x86_64__)
DH_INLINE long dh_kernel_call6(long nr, long a, long b, long c, long d, long e, long f)
{
	long ret;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}
#elif defined(__aarch64__)
DH_INLINE long dh_kernel_call6(long nr, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;
	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}
#else
#error "port src/base/kernel.h to this architecture"
#endif

#define DH_KERNEL_0(nr)             dh_kernel_call6(nr, 0, 0, 0, 0, 0, 0)
#define DH_KERNEL_1(nr, a)          dh_kernel_call6(nr, (long)(a), 0, 0, 0, 0, 0)
#define DH_KERNEL_2(nr, a, b)       dh_kernel_call6(nr, (long)(a), (long)(b), 0, 0, 0, 0)
#define DH_KERNEL_3(nr, a, b, c)                                                         \
	dh_kernel_call6(nr, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define DH_KERNEL_4(nr, a, b, c, d)                                                      \
	dh_kernel_call6(nr, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define DH_KERNEL_5(nr, a, b, c, d, e)                                                   \
	dh_kernel_call6(nr, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)
#define DH_KERNEL_6(nr, a, b, c, d, e, f)                                                \
	dh_kernel_call6(nr, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e),       \
			(long)(f))

#endif
