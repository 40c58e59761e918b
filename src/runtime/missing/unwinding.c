/* SPDX-License-Identifier: MIT */
/*
 * Exceptions that pass hooked calls: what unwinders call when they come to the frame
 * behind the call (trampoline.h).
 *
 * libgcc's tells this frame from its caller's and goes on by itself. LLVM's libunwind
 * knows frames by their stack pointer alone: where the caller is the one that catches, it
 * takes this frame for it, and would not go on. Then the frame says that it has a
 * handler, and the handler has the unwinder go on as if the caller itself had asked for
 * it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include "runtime/intercept/real.h"
#include "runtime/intercept/watch.h"
#include "runtime/missing/trampoline.h"

#if defined(__x86_64__)

DH_REAL_WANT(dlopen);
DH_REAL_WANT(dlclose);

/* Values of the C++ ABI. */
enum { UNWIND_HANDLER = 4, UNWIND_INSTALL = 7, REGISTER_RAX = 0 };

DH_UNWIND_ROUTINE(dh_missing_personality);

extern const char dh_unwinding_handler[];

/* _Unwind_Resume() of the unwinder that was last here. Named by the code below. */
void *dh_unwinding_resume;

/* clang-format off */

/* rax: the exception; rbx: what the trampoline lives on. */
__asm__(".pushsection .text\n"
	"	.type dh_unwinding_handler, @function\n"
	"dh_unwinding_handler:\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined %rip\n"
	"	push %rax\n"
	"	push %rax\n"
	"	call dh_missing_unwound\n"
	"	pop %rax\n"
	"	pop %rdi\n"
	"	mov dh_unwinding_resume(%rip), %r11\n"
	"	mov (%rbx), %rax\n"
	"	mov 8(%rbx), %rbx\n"
	"	push %rax\n"
	"	jmp *%r11\n"
	"	.cfi_endproc\n"
	"	.size dh_unwinding_handler, . - dh_unwinding_handler\n"
	".popsection");

/* clang-format on */

/* What the unwinder offers to those that it calls. */
struct unwinder {
	void (*set_register)(void *context, int number, uint64_t value);
	void (*set_ip)(void *context, uint64_t value);
	void *resume;
};

/* That of the module which has this code. */
static bool find(uintptr_t code, struct unwinder *out)
{
	Dl_info info;
	if (!dladdr((void *)code, &info) || !info.dli_fname)
		return false;
	void *module = DH_REAL(dlopen)(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	if (!module)
		return false;
	*(void **)&out->set_register = dlsym(module, "_Unwind_SetGR");
	*(void **)&out->set_ip = dlsym(module, "_Unwind_SetIP");
	out->resume = dlsym(module, "_Unwind_Resume");
	DH_REAL(dlclose)(module);
	return out->set_register && out->set_ip && out->resume;
}

DH_UNWIND_ROUTINE(dh_missing_personality)
{
	struct unwinder u;
	(void)version, (void)kind;
	if (!(actions & DH_UNWIND_CLEANUP))
		return DH_UNWIND_GO_ON;
	if (actions & UNWIND_HANDLER &&
	    find((uintptr_t)__builtin_return_address(0), &u)) {
		__atomic_store_n(&dh_unwinding_resume, u.resume, __ATOMIC_RELAXED);
		u.set_register(context, REGISTER_RAX, (uintptr_t)exception);
		u.set_ip(context, (uintptr_t)dh_unwinding_handler);
		return UNWIND_INSTALL;
	}
	dh_missing_unwound();
	return DH_UNWIND_GO_ON;
}

#endif
