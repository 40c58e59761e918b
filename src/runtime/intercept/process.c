/* SPDX-License-Identifier: MIT */
/*
 * Other processes and the ends of this one: exec and abort wait until what was found is
 * written; vfork and clone keep the thread's state in order.
 *
 * posix_spawn(), system() and popen() need nothing: between the C library's clone and
 * its exec no code of the program runs, and no interposed function is called.
 *
 * A child that shares our memory while the parent waits (vfork, CLONE_VFORK) works on
 * the parent's thread state, and leaves without unwinding: the depth of the shadow
 * stack is restored. One that shares the memory and runs beside the parent, without
 * thread-local storage of its own, gets a copy of it, in which it is a thread that is
 * not watched: else both would write the same state. (We would not see its end, and
 * wait() would not order what it did.) A child with a copy of the memory is a fork.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/sys.h"
#include "runtime/abi.h"
#include "runtime/intercept/fork.h"
#include "runtime/intercept/limits.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/sigsend.h"
#include "runtime/report.h"
#include "runtime/thread.h"

DH_REAL_WANT(abort);
DH_REAL_WANT(clone);
DH_REAL_WANT(execve);
DH_REAL_WANT(execveat);
DH_REAL_WANT(execvpe);
DH_REAL_WANT(fexecve);

/* ---- abort and exec ---- */

DH_EXPORT _Noreturn void abort(void)
{
	dh_report_flush(NULL);
	DH_REAL(abort)();
	__builtin_unreachable();
}

/* An exec that returns has failed. */
static void before_exec(void)
{
	dh_report_flush(NULL);
	dh_limits_as_asked();
}

static int after_exec(int result)
{
	int error = errno;
	dh_limits_as_needed();
	errno = error;
	return result;
}

DH_EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	before_exec();
	return after_exec(DH_REAL(execve)(path, argv, envp));
}

DH_EXPORT int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

DH_EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
	before_exec();
	return after_exec(DH_REAL(execvpe)(file, argv, envp));
}

DH_EXPORT int execvp(const char *file, char *const argv[])
{
	return execvpe(file, argv, environ);
}

DH_EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
	before_exec();
	return after_exec(DH_REAL(fexecve)(fd, argv, envp));
}

DH_EXPORT int execveat(int fd, const char *path, char *const argv[], char *const envp[],
		       int flags)
{
	before_exec();
	return after_exec(DH_REAL(execveat)(fd, path, argv, envp, flags));
}

/* Arguments in a row become an array on the stack, since a child of vfork may come by
 * here: how many, with the NULL at the end. */
static size_t count_arguments(const char *first, va_list list)
{
	size_t n = 1;
	for (const char *a = first; a; a = va_arg(list, const char *))
		n++;
	return n;
}

static void gather(const char **to, const char *first, va_list list)
{
	const char *a = first;
	for (; a; a = va_arg(list, const char *))
		*to++ = a;
	*to = NULL;
}

#define WITH_ARGUMENTS(first, argv, call)                                                \
	va_list list;                                                                    \
	va_start(list, first);                                                           \
	const char **argv =                                                              \
	    __builtin_alloca(count_arguments(first, list) * sizeof *argv);               \
	va_end(list);                                                                    \
	va_start(list, first);                                                           \
	gather(argv, first, list);                                                       \
	int result = call;                                                               \
	va_end(list);                                                                    \
	return result

DH_EXPORT int execl(const char *path, const char *first, ...)
{
	WITH_ARGUMENTS(first, argv, execve(path, (char *const *)argv, environ));
}

DH_EXPORT int execlp(const char *file, const char *first, ...)
{
	WITH_ARGUMENTS(first, argv, execvpe(file, (char *const *)argv, environ));
}

/* The environment comes after the NULL, where gather() has left the list. */
DH_EXPORT int execle(const char *path, const char *first, ...)
{
	WITH_ARGUMENTS(first, argv,
		       execve(path, (char *const *)argv, va_arg(list, char *const *)));
}

/* ---- vfork ---- */

static size_t depth(void)
{
	const struct dh_self *t = dh_thread_self();
	return t->state ? (size_t)(t->top - t->state->frames) : 0;
}

static void back_to(size_t was)
{
	struct dh_self *t = dh_thread_self();
	if (t->state)
		t->top = t->state->frames + was;
}

#if defined(__x86_64__)
/* A function that calls vfork returns twice from it, to the same frame: none of ours can
 * be in between. What has to be kept is kept in registers, which the two processes do
 * not share. */
size_t dh_vfork_begins(void);
size_t dh_vfork_begins(void)
{
	dh_signal_sending(SIGCHLD); /* when the child ends */
	return depth();
}

/* In the parent. */
int dh_vfork_ends(size_t was, long result);
int dh_vfork_ends(size_t was, long result)
{
	back_to(was);
	if (result >= 0)
		return (int)result;
	errno = (int)-result;
	return -1;
}

__asm__(".pushsection .text\n"
	".globl vfork\n"
	".globl __vfork\n"
	".type vfork, @function\n"
	".type __vfork, @function\n"
	"vfork:\n"
	"__vfork:\n\t"
	".cfi_startproc\n\t"
	"sub $8, %rsp\n\t"
	".cfi_adjust_cfa_offset 8\n\t"
	"call dh_vfork_begins\n\t"
	"add $8, %rsp\n\t"
	".cfi_adjust_cfa_offset -8\n\t"
	"mov %rax, %rsi\n\t"
	"pop %rdi\n\t" /* the child will overwrite it */
	".cfi_adjust_cfa_offset -8\n\t"
	".cfi_register %rip, %rdi\n\t"
	"mov $58, %eax\n\t"
	"syscall\n\t"
	"push %rdi\n\t"
	".cfi_adjust_cfa_offset 8\n\t"
	".cfi_offset %rip, -8\n\t"
	"test %rax, %rax\n\t"
	"jz 1f\n\t"
	"mov %rsi, %rdi\n\t"
	"mov %rax, %rsi\n\t"
	"jmp dh_vfork_ends\n"
	"1:\n\t"
	"ret\n\t"
	".cfi_endproc\n"
	".size vfork, . - vfork\n"
	".size __vfork, . - __vfork\n"
	".popsection");
#endif

/* ---- clone ---- */

struct start {
	int (*function)(void *);
	void *arg;
};

static int start_copy(void *start)
{
	struct start s = *(struct start *)start;
	dh_fork_in_child();
	return s.function(s.arg);
}

static int clone_copy(struct start *s, void *stack, int flags, void *const extra[3])
{
	dh_fork_before();
	int pid =
	    DH_REAL(clone)(start_copy, stack, flags, s, extra[0], extra[1], extra[2]);
	dh_fork_in_parent();
	return pid;
}

#if defined(__x86_64__)
struct block {
	char *start;
	size_t size;
};

/* Where this library has its thread-local variables of the calling thread. */
static int find_ours(struct dl_phdr_info *info, size_t size, void *block)
{
	uintptr_t own = (uintptr_t)find_ours;
	struct block found = {info->dlpi_tls_data, 0};
	bool here = false;
	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + p->p_vaddr;
		here |= p->p_type == PT_LOAD && own - start < p->p_memsz;
		if (p->p_type == PT_TLS)
			found.size = p->p_memsz;
	}
	if (here)
		*(struct block *)block = found;
	return here;
}

/* A copy of the thread's own storage, with the C library's part, in which ours is empty;
 * NULL where that cannot be made. It stays for good. */
static void *storage_copy(void)
{
	void (*info)(size_t *, size_t *) = dlsym(RTLD_DEFAULT, "_dl_get_tls_static_info");
	const uint32_t *above = dlsym(RTLD_DEFAULT, "_thread_db_sizeof_pthread");
	size_t size, align;
	char *self, *copy;
	struct block ours = {0};
	if (!info || !above || !dl_iterate_phdr(find_ours, &ours) || !ours.start)
		return NULL;
	info(&size, &align);
	copy = dh_sys_map(size + align);
	if (!copy)
		return NULL;
	__asm__("mov %%fs:0, %0" : "=r"(self));
	uintptr_t end = ((uintptr_t)copy + size - *above) & ~(uintptr_t)(align - 1);
	char *made = (char *)(end + align);
	dh_copy(made + *above - size, self + *above - size, size);
	((void **)made)[0] = made; /* where it points to itself */
	((void **)made)[2] = made;
	dh_zero(made + (ours.start - self), ours.size);
	struct dh_self *t = (struct dh_self *)(made + ((char *)&dh_self - self));
	t->ignore = 1;
	dh_thread_look(t);
	return made;
}
#else
static void *storage_copy(void)
{
	return NULL;
}
#endif

static int clone_beside(struct start *s, void *stack, int flags, void *const extra[3])
{
	void *storage = storage_copy();
	if (!storage)
		return DH_REAL(clone)(s->function, stack, flags, s->arg, extra[0],
				      extra[1], extra[2]);
	return DH_REAL(clone)(s->function, stack, flags | CLONE_SETTLS, s->arg, extra[0],
			      storage, extra[2]);
}

DH_EXPORT int clone(int (*function)(void *), void *stack, int flags, void *arg, ...)
{
	struct start s = {function, arg};
	void *extra[3];
	va_list list;
	va_start(list, arg);
	for (int i = 0; i < 3; i++)
		extra[i] = va_arg(list, void *);
	va_end(list);
	if (!function || !stack)
		return DH_REAL(clone)(function, stack, flags, arg);
	if (!(flags & CLONE_VM))
		return clone_copy(&s, stack, flags, extra);
	if (!(flags & (CLONE_VFORK | CLONE_SETTLS)))
		return clone_beside(&s, stack, flags, extra);
	size_t was = depth();
	int pid =
	    DH_REAL(clone)(function, stack, flags, arg, extra[0], extra[1], extra[2]);
	back_to(was);
	return pid;
}
