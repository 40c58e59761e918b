/* SPDX-License-Identifier: MIT */
// message: the fiber
/* The same without synchronisation: what runs next may as well run elsewhere. */
#include <ucontext.h>

void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
void __tsan_set_fiber_name(void *fiber, const char *name);

static ucontext_t own, other;
static void *own_fiber, *fiber;
static char stack[64 << 10];
int data;

static void body(void)
{
	data = 2; // race: b
	__tsan_switch_to_fiber(own_fiber, 1);
	swapcontext(&other, &own);
}

int main(void)
{
	getcontext(&other);
	other.uc_stack.ss_sp = stack;
	other.uc_stack.ss_size = sizeof stack;
	makecontext(&other, body, 0);
	own_fiber = __tsan_get_current_fiber();
	fiber = __tsan_create_fiber(0);
	__tsan_set_fiber_name(fiber, "the fiber");
	data = 1; // race: a
	__tsan_switch_to_fiber(fiber, 1);
	swapcontext(&own, &other);
	__tsan_destroy_fiber(fiber);
	return 0;
}
