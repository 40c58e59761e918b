/* SPDX-License-Identifier: MIT */
/* See unhook.h. */
#define _GNU_SOURCE
#include "runtime/intercept/unhook.h"
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include "base/kernel.h"
#include "runtime/intercept/real.h"
#include "runtime/missing/binding.h"
#include "runtime/text.h"

DH_REAL_WANT(pthread_mutex_init);
DH_REAL_WANT(pthread_mutex_destroy);
DH_REAL_WANT(pthread_mutex_lock);
DH_REAL_WANT(pthread_mutex_trylock);
DH_REAL_WANT(pthread_mutex_unlock);
DH_REAL_WANT_VERSION(pthread_cond_init, "GLIBC_2.3.2");
DH_REAL_WANT_VERSION(pthread_cond_destroy, "GLIBC_2.3.2");
DH_REAL_WANT_VERSION(pthread_cond_wait, "GLIBC_2.3.2");
DH_REAL_WANT_VERSION(pthread_cond_timedwait, "GLIBC_2.3.2");
DH_REAL_WANT_VERSION(pthread_cond_signal, "GLIBC_2.3.2");
DH_REAL_WANT_VERSION(pthread_cond_broadcast, "GLIBC_2.3.2");
DH_REAL_WANT(sem_init);
DH_REAL_WANT(sem_post);
DH_REAL_WANT(sem_wait);

#define REAL(f)                                                                          \
	{                                                                                \
#f, (uintptr_t)DH_REAL(f)                                                \
	}

/* The C library's function of that name, of those that are not to be watched; or 0. */
static uintptr_t real_of(const char *name)
{
	const struct {
		const char *name;
		uintptr_t function;
	} all[] = {
	    REAL(pthread_mutex_init),
	    REAL(pthread_mutex_destroy),
	    REAL(pthread_mutex_lock),
	    REAL(pthread_mutex_trylock),
	    REAL(pthread_mutex_unlock),
	    REAL(pthread_cond_init),
	    REAL(pthread_cond_destroy),
	    REAL(pthread_cond_wait),
	    REAL(pthread_cond_timedwait),
	    REAL(pthread_cond_signal),
	    REAL(pthread_cond_broadcast),
	    REAL(sem_init),
	    REAL(sem_post),
	    REAL(sem_wait),
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (dh_text_same(all[i].name, name))
			return all[i].function;
	return 0;
}

/* The loader may have made the page read-only; then it is so again afterwards, for all
 * that is in it. */
static void set_slot(uintptr_t *slot, uintptr_t function, bool read_only)
{
	enum { PAGE = 4096 };
	uintptr_t page = (uintptr_t)slot & ~(uintptr_t)(PAGE - 1);
	if (read_only)
		DH_KERNEL_3(__NR_mprotect, page, PAGE, PROT_READ | PROT_WRITE);
	__atomic_store_n(slot, function, __ATOMIC_RELEASE);
	if (read_only)
		DH_KERNEL_3(__NR_mprotect, page, PAGE, PROT_READ);
}

static bool is_read_only(const struct dl_phdr_info *m, uintptr_t slot)
{
	for (int i = 0; i < m->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &m->dlpi_phdr[i];
		if (h->p_type == PT_GNU_RELRO &&
		    slot - (m->dlpi_addr + h->p_vaddr) < h->p_memsz)
			return true;
	}
	return false;
}

static void unhook_slots(const struct dh_binding *b, const ElfW(Rela) * r, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *name = dh_binding_name(b, &r[i]);
		uintptr_t function = name ? real_of(name) : 0;
		uintptr_t slot = b->module->dlpi_addr + r[i].r_offset;
		if (function)
			set_slot((uintptr_t *)slot, function,
				 is_read_only(b->module, slot));
	}
}

static int look_at(struct dl_phdr_info *m, DH_UNUSED size_t size, void *pc)
{
	struct dh_binding b;
	if (!dh_dynamic_covers(m, *(uintptr_t *)pc))
		return 0;
	if (dh_binding_of(m, &b)) {
		unhook_slots(&b, b.call, b.calls);
		unhook_slots(&b, b.plain, b.plains);
	}
	return 1;
}

void dh_unhook_waits(uint64_t pc)
{
	uintptr_t at = (uintptr_t)pc;
	dl_iterate_phdr(look_at, &at);
}
