/* SPDX-License-Identifier: MIT */
/*
 * See callers.h. What is where comes from the dynamic loader, asked while a constructor
 * runs: then the calling thread has its lock anyway. Where a constructor was called from
 * would not do, because the call can be its last act and leave no trace.
 */
#define _GNU_SOURCE
#include "runtime/callers.h"
#include <link.h>
#include "base/lock.h"
#include "runtime/assembly.h"
#include "runtime/dynamic.h"
#include "runtime/fences.h"
#include "runtime/ignored_libs.h"
#include "runtime/text.h"

enum { RANGES = 2048 };

/* Of code, and of what modules write to. */
static struct range {
	uintptr_t start, end;
	enum dh_caller kind;
} ranges[RANGES];      /* those below count are fixed */
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

/* ---- behind a library ---- */

#if defined(__x86_64__)
/* The first bytes of instructions: a direct call, and calls and jumps by an address in a
 * register or in memory, of which the next byte says more. */
enum { CALL = 0xe8, GROUP = 0xff };

/* Is there a call before this address? */
static bool follows_call(uint64_t pc)
{
	const uint8_t *p = (const uint8_t *)(uintptr_t)pc;
	enum { WHICH = 0x38, IS_CALL = 0x10 };
	return p[-5] == CALL || (p[-2] == GROUP && (p[-1] & WHICH) == IS_CALL) ||
	       (p[-3] == GROUP && (p[-2] & WHICH) == IS_CALL) ||
	       (p[-6] == GROUP && (p[-5] & WHICH) == IS_CALL);
}

/* How far away an instruction says that something is. */
static int64_t displacement(const uint8_t *p)
{
	return (int32_t)((uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
			 (uint32_t)p[3] << 24);
}

/* What the loader has put into a slot of a module for a function elsewhere; 0 where there
 * is none: what looks like a call may be the end of another instruction. */
static uint64_t in_slot(const uint8_t *slot)
{
	uint64_t at = (uintptr_t)slot;
	return at % sizeof at == 0 && dh_caller_kind(at) == DH_CALLER_WATCHED
		   ? *(const uint64_t *)at
		   : 0;
}

/* Where a stub of the linker's leads, which jumps by such a slot; else 0. */
static uint64_t behind_stub(const uint8_t *p)
{
	static const uint8_t endbr[] = {0xf3, 0x0f, 0x1e, 0xfa};
	enum { BND = 0xf2, JUMP_BY_SLOT = 0x25 };
	if (dh_caller_kind((uintptr_t)p) != DH_CALLER_WATCHED)
		return 0;
	if (p[0] == endbr[0] && p[1] == endbr[1] && p[2] == endbr[2] && p[3] == endbr[3])
		p += sizeof endbr;
	if (p[0] == BND)
		p++;
	return p[0] == GROUP && p[1] == JUMP_BY_SLOT
		   ? in_slot(p + 6 + displacement(p + 2))
		   : 0;
}

/* What the call before pc calls, where that is a function of another module; 0 where that
 * cannot be told. */
static uint64_t called_before(uint64_t pc)
{
	enum { CALL_BY_SLOT = 0x15 };
	const uint8_t *p = (const uint8_t *)(uintptr_t)pc;
	if (p[-5] == CALL)
		return behind_stub(p + displacement(p - 4));
	return p[-6] == GROUP && p[-5] == CALL_BY_SLOT ? in_slot(p + displacement(p - 4))
						       : 0;
}

enum dh_caller dh_caller_of_call(uint64_t pc)
{
	enum dh_caller kind = dh_caller_kind(pc);
	if (kind != DH_CALLER_WATCHED)
		return kind;
	uint64_t called = called_before(pc);
	return called && !dh_dynamic_own(called) ? dh_caller_kind(called) : kind;
}

/* The shadow stack has the stack pointer that the function had when it was entered, and
 * nearly all functions have the same one at each call that they make: so just below it
 * is where the present call returns to. What is found there is believed only if it is in
 * instrumented code and follows a call. */
uint64_t dh_caller_behind_at(const struct dh_self *t, uintptr_t sp)
{
	enum { NEAR = 1 << 20 };
	const struct dh_frame *f = t->top;
	uint32_t above = f->sp - (uint32_t)sp;
	if (f == t->state->frames || above - 1 >= NEAR || sp % sizeof(uint64_t) ||
	    above % sizeof(uint64_t))
		return 0;
	uint64_t pc = *(const uint64_t *)(sp + above - sizeof(uint64_t));
	return dh_caller_kind(pc) == DH_CALLER_WATCHED && follows_call(pc) ? pc : 0;
}
#else
enum dh_caller dh_caller_of_call(uint64_t pc)
{
	return dh_caller_kind(pc);
}

/* Where calls return to is not kept in a place that we could know. */
uint64_t dh_caller_behind_at(DH_UNUSED const struct dh_self *t, DH_UNUSED uintptr_t sp)
{
	return 0;
}
#endif

uint64_t dh_caller_behind(const struct dh_self *t)
{
	return dh_caller_behind_at(t, (uintptr_t)__builtin_frame_address(0));
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

/* What the dynamic loader binds a module's references by. */
struct references {
	const ElfW(Sym) * symbols;
	const char *names;
	const ElfW(Rela) * plain, *calls;
	size_t plain_size, calls_size;
	size_t relative; /* that many of the plain ones come first and name nothing */
};

static void take_entry(struct references *r, const struct dl_phdr_info *m,
		       const ElfW(Dyn) * d)
{
	uintptr_t at = dh_dynamic_place(m, d->d_un.d_ptr);
	switch (d->d_tag) {
	case DT_SYMTAB:
		r->symbols = (const ElfW(Sym) *)at;
		break;
	case DT_STRTAB:
		r->names = (const char *)at;
		break;
	case DT_RELA:
		r->plain = (const ElfW(Rela) *)at;
		break;
	case DT_RELASZ:
		r->plain_size = d->d_un.d_val;
		break;
	case DT_RELACOUNT:
		r->relative = d->d_un.d_val;
		break;
	case DT_JMPREL:
		r->calls = (const ElfW(Rela) *)at;
		break;
	case DT_PLTRELSZ:
		r->calls_size = d->d_un.d_val;
		break;
	}
}

static bool names_one(const struct references *r, const ElfW(Rela) * at, size_t many,
		      const char *const names[])
{
	for (size_t i = 0; at && i < many; i++) {
		size_t symbol = ELF64_R_SYM(at[i].r_info);
		const char *name = r->names + r->symbols[symbol].st_name;
		for (size_t k = 0; symbol && names[k]; k++)
			if (dh_text_same(name, names[k]))
				return true;
	}
	return false;
}

/* What instrumented code calls at its start, or at that of a function; and what it calls
 * for a fence. */
static const char *const starts[] = {"__tsan_init", "__tsan_func_entry", NULL};
static const char *const fences[] = {"__tsan_atomic_thread_fence", "__kmpc_flush",
				     DH_ASM_FENCE_NAME, NULL};

/* Does it refer to one of these? */
static bool refers_to(const struct dl_phdr_info *m, const char *const names[])
{
	struct references r = {0};
	const ElfW(Dyn) *d = dh_dynamic_of(m);
	for (; d && d->d_tag != DT_NULL; d++)
		take_entry(&r, m, d);
	size_t plain = r.plain_size / sizeof *r.plain;
	size_t skip = DH_MIN(r.relative, plain);
	return r.symbols && r.names &&
	       (names_one(&r, r.calls, r.calls_size / sizeof *r.calls, names) ||
		names_one(&r, r.plain ? r.plain + skip : NULL, plain - skip, names));
}

static enum dh_caller kind_of(const struct dl_phdr_info *m)
{
	if (*m->dlpi_name && dh_ignored_lib(m->dlpi_name))
		return DH_CALLER_FOREIGN;
	if (refers_to(m, starts))
		return DH_CALLER_WATCHED;
	return is_library(m->dlpi_name) ? DH_CALLER_LIBRARY : DH_CALLER_FOREIGN;
}

/* A foreign one is worth a range only where another one was before. */
static void enter(const struct dl_phdr_info *m, enum dh_caller kind)
{
	for (int i = 0; i < m->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &m->dlpi_phdr[i];
		uintptr_t start = m->dlpi_addr + h->p_vaddr;
		const struct range *r = range_of(start);
		if (h->p_type != PT_LOAD || !(h->p_flags & (PF_X | PF_W)))
			continue;
		if (r ? r->kind != kind || r->end != start + h->p_memsz
		      : kind != DH_CALLER_FOREIGN)
			add(start, start + h->p_memsz, kind);
	}
}

/* How often modules have come and gone, as of the last look at all. */
static unsigned long long comings, goings; /* under the lock */

static int look_for_change(struct dl_phdr_info *m, DH_UNUSED size_t size, void *changed)
{
	*(bool *)changed = m->dlpi_adds != comings || m->dlpi_subs != goings;
	comings = m->dlpi_adds;
	goings = m->dlpi_subs;
	return 1;
}

static int look_at(struct dl_phdr_info *m, DH_UNUSED size_t size, void *fenced)
{
	enter(m, kind_of(m));
	*(bool *)fenced |= refers_to(m, fences);
	return 0;
}

void dh_callers_note(void)
{
	struct dh_self *t = dh_thread_self();
	bool changed = false, fenced = false;
	dh_enter_runtime(t);
	dh_lock(&lock);
	dl_iterate_phdr(look_for_change, &changed);
	if (changed) {
		dl_iterate_phdr(look_at, &fenced);
		dh_fences_note(fenced);
	}
	dh_unlock(&lock);
	dh_leave_runtime(t);
}
