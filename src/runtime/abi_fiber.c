/* SPDX-License-Identifier: MIT */
/* The entry points for fibers; what they do is in fiber.h. */
#include "runtime/abi.h"
#include "runtime/fiber.h"

enum { SWITCH_NO_SYNC = 1 }; /* of the interface */

DH_EXPORT void *__tsan_get_current_fiber(void);
void *__tsan_get_current_fiber(void)
{
	return dh_fiber_current();
}

/* No flags are defined. */
DH_EXPORT void *__tsan_create_fiber(unsigned flags);
void *__tsan_create_fiber(unsigned flags)
{
	(void)flags;
	return dh_fiber_create(DH_CALLER());
}

DH_EXPORT void __tsan_destroy_fiber(void *fiber);
void __tsan_destroy_fiber(void *fiber)
{
	dh_fiber_destroy(fiber);
}

DH_EXPORT void __tsan_switch_to_fiber(void *fiber, unsigned flags);
void __tsan_switch_to_fiber(void *fiber, unsigned flags)
{
	dh_fiber_switch(fiber, !(flags & SWITCH_NO_SYNC));
}

DH_EXPORT void __tsan_set_fiber_name(void *fiber, const char *name);
void __tsan_set_fiber_name(void *fiber, const char *name)
{
	dh_fiber_name(fiber, name);
}
