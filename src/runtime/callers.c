/* SPDX-License-Identifier: MIT */
/* See callers.h. The ranges of code come from the dynamic loader, asked while a
 * constructor runs: then the calling thread has its lock anyway. */
#define _GNU_SOURCE
#include "runtime/callers.h"
#include <link.h>
#include "base/lock.h"
#include "runtime/text.h"
#include "runtime/thread.h"

enum { RANGES = 2048 };

static struct range {
	uintptr_t start, end;
	enum dh_caller kind;
} ranges[RANGES]; /* those below count are fixed */
static uint32_t count; /* atomic; rises under the lock */
static struct dh_lock lock;
DH_LOCK_AROUND_FORK(lock, DH_FORK_OUTER);

uint64_t dh_callers_known[1 << DH_CALLERS_BITS];
uint32_t dh_callers_round = 1;

static void add(uintptr_t start, uintptr_t end, enum dh_caller kind)
{
	if (count == RANGES)
		return;
	ranges[count] = (struct range){start, end, kind};
	__atomic_store_n(&count, count + 1, __ATOMIC_RELEASE);
	uint32_t round = (dh_callers_round + 1) % (1 << DH_CALLERS_ROUND_BITS);
	__atomic_store_n(&dh_callers_round, round ? round : 1, __ATOMIC_RELEASE);
}

/* The youngest range that covers it: modules come and go. */
static const struct range *range_of(uint64_t pc)
{
	for (uint32_t i = __atomic_load_n(&count, __ATOMIC_ACQUIRE); i > 0; i--)
		if (ranges[i - 1].start <= pc && pc < ranges[i - 1].end)
			return &ranges[i - 1];
	return NULL;
}

enum dh_caller dh_callers_look_up(uint64_t pc)
{
	uint64_t page = pc >> DH_CALLERS_PAGE;
	uint32_t round = __atomic_load_n(&dh_callers_round, __ATOMIC_ACQUIRE);
	const struct range *r = range_of(pc);
	enum dh_caller kind = r ? r->kind : DH_CALLER_FOREIGN;
	uint64_t entry = (page << DH_CALLERS_ROUND_BITS | round) << DH_CALLERS_KIND_BITS |
			 (uint64_t)kind;
	__atomic_store_n(&dh_callers_known[page % (1 << DH_CALLERS_BITS)], entry,
			 __ATOMIC_RELAXED);
	return kind;
}

/* ---- finding modules ---- */

static bool is_library(const char *path)
{
	const char *name = path;
	for (const char *p = path; *p; p++)
		if (*p == '/')
			name = p + 1;
	return dh_text_begins(name, "libstdc++.so") || dh_text_begins(name, "libc++.so");
}

static bool has(const struct dl_phdr_info *m, uintptr_t pc)
{
	for (int i = 0; i < m->dlpi_phnum; i++) {
		uintptr_t start = m->dlpi_addr + m->dlpi_phdr[i].p_vaddr;
		if (m->dlpi_phdr[i].p_type == PT_LOAD && pc >= start &&
		    pc < start + m->dlpi_phdr[i].p_memsz)
			return true;
	}
	return false;
}

static void add_code(const struct dl_phdr_info *m, enum dh_caller kind)
{
	for (int i = 0; i < m->dlpi_phnum; i++) {
		uintptr_t start = m->dlpi_addr + m->dlpi_phdr[i].p_vaddr;
		const struct range *r = range_of(start);
		if (m->dlpi_phdr[i].p_type == PT_LOAD && m->dlpi_phdr[i].p_flags & PF_X &&
		    !(r && r->kind == kind))
			add(start, start + m->dlpi_phdr[i].p_memsz, kind);
	}
}

static int look_at(struct dl_phdr_info *m, DH_UNUSED size_t size, void *pc)
{
	if (has(m, *(const uintptr_t *)pc))
		add_code(m, DH_CALLER_WATCHED);
	else if (is_library(m->dlpi_name))
		add_code(m, DH_CALLER_LIBRARY);
	return 0;
}

void dh_callers_note(uint64_t pc)
{
	const struct range *r = range_of(pc);
	if (r && r->kind == DH_CALLER_WATCHED)
		return;
	struct dh_self *t = dh_thread_self();
	dh_enter_runtime(t);
	dh_lock(&lock);
	dl_iterate_phdr(look_at, &pc);
	dh_unlock(&lock);
	dh_leave_runtime(t);
}
