/* SPDX-License-Identifier: MIT */
/*
 * The entry points for inline assembly; see assembly.h. x86-64 only.
 *
 * A read-modify-write is seq_cst, a load acquires and a store releases: what the
 * processor promises. So they are as the operations of abi_atomic.c, but that the
 * operation itself is the program's, between two calls. What is known of it in the
 * meantime is the thread's (struct operation). The object may be locked then, as it is
 * there, and `inside` is raised, so that no signal handler of the program comes in
 * between.
 *
 * A load cannot be done again where the object has changed meanwhile: it counts as a
 * read-modify-write that writes nothing, which learns all that it may have read.
 */
#include "runtime/abi.h"

#if defined(__x86_64__)

#include "runtime/access.h"
#include "runtime/assembly.h"
#include "runtime/atomic_access.h"
#include "runtime/edges.h"
#include "runtime/observer.h"
#include "runtime/vectors.h"

/* What the entry points find on the stack, lowest address first. */
struct frame {
	uint64_t rdx;	/* the program's */
	uint64_t stub;	/* where this call returns to */
	uint64_t rax;	/* the program's */
	uint64_t flags; /* likewise */
	uint64_t pc;	/* in the program, behind the call */
	uint64_t code;
	uint64_t rdi;	/* the program's */
	uint64_t index; /* of a bit */
};

static __thread struct operation {
	struct dh_edge edge;
	struct dh_self *raised; /* `inside` on top of what the edge does, or NULL */
	unsigned within; /* operations of a handler that came nevertheless: a fault's */
	uintptr_t addr;
	unsigned size;
	int order;
} operation __attribute__((tls_model("initial-exec")));

/* clang-format off */

/* With fasttrack nothing but our own code comes in between (vectors.h), if that was not
 * built for the machine at hand. */
#ifdef __AVX__
#define UNLESS_NARROW(label) "	jmp " label "\n"
#else
#define UNLESS_NARROW(label)                                                             \
	"	cmpq $0, dh_observer(%rip)\n"                                            \
	"	jne " label "\n"
#endif

#define ENTRY(name)                                                                      \
	__asm__(".pushsection .text\n"                                                   \
		"	.p2align 4\n"                                                    \
		"	.globl " name "\n"                                               \
		"	.type " name ", @function\n"                                     \
		name ":\n"                                                               \
		"	.cfi_startproc\n"                                                \
		"	endbr64\n"                                                       \
		"	push %rdx\n"                                                     \
		"	.cfi_adjust_cfa_offset 8\n"                                      \
		"	push %rbp\n"                                                     \
		"	.cfi_adjust_cfa_offset 8\n"                                      \
		"	.cfi_rel_offset %rbp, 0\n"                                       \
		"	mov %rsp, %rbp\n"                                                \
		"	.cfi_def_cfa_register %rbp\n"                                    \
		"	push %rcx\n"                                                     \
		"	push %rsi\n"                                                     \
		"	push %rdi\n"                                                     \
		"	push %r8\n"                                                      \
		"	push %r9\n"                                                      \
		"	push %r10\n"                                                     \
		"	push %r11\n"                                                     \
		"	cld\n"                                                           \
		UNLESS_NARROW("4f")                                                      \
		DH_KEEP_NARROW                                                           \
		"	lea 8(%rbp), %rsi\n"                                             \
		"	call dh_asm_told\n"                                              \
		DH_RESTORE_NARROW                                                        \
		"	jmp 5f\n"                                                        \
		"4:\n"                                                                   \
		DH_KEEP_VECTORS                                                          \
		"	lea 8(%rbp), %rsi\n"                                             \
		"	call dh_asm_told\n"                                              \
		DH_RESTORE_VECTORS                                                       \
		"5:	lea -56(%rbp), %rsp\n"                                           \
		"	pop %r11\n"                                                      \
		"	pop %r10\n"                                                      \
		"	pop %r9\n"                                                       \
		"	pop %r8\n"                                                       \
		"	pop %rdi\n"                                                      \
		"	pop %rsi\n"                                                      \
		"	pop %rcx\n"                                                      \
		"	pop %rbp\n"                                                      \
		"	.cfi_def_cfa %rsp, 16\n"                                         \
		"	.cfi_same_value %rbp\n"                                          \
		"	pop %rdx\n"                                                      \
		"	.cfi_adjust_cfa_offset -8\n"                                     \
		"	ret\n"                                                           \
		"	.cfi_endproc\n"                                                  \
		"	.size " name ", . - " name "\n"                                  \
		".popsection")
/* clang-format on */

ENTRY(DH_ASM_NAME);
ENTRY(DH_ASM_FENCE_NAME);

/* Called by these. */
void dh_asm_told(uintptr_t addr, const struct frame *f);

/* ---- the parts of an operation ---- */

/* A bad address shall fault here, while nothing is held. */
static void touch(uintptr_t addr, unsigned size)
{
	const volatile uint8_t *p = (const volatile uint8_t *)addr;
	(void)p[0];
	(void)p[size - 1];
}

static void check(uintptr_t addr, unsigned size, bool write, uint64_t pc)
{
	unsigned flags = write ? DH_ACCESS_WRITE : 0;
	if (size > DH_GRANULE)
		dh_access_range(addr, size, flags | DH_ACCESS_ATOMIC, pc);
	else if (write)
		dh_atomic_write(addr, size, pc);
	else
		dh_atomic_read(addr, size, pc);
}

/* Numbers of bits are signed, and as wide as the operand: which one of those behind it
 * (or before) has it. */
static uintptr_t beyond(uintptr_t addr, unsigned size, uint64_t index)
{
	unsigned unused = 64 - 8 * size;
	int64_t bit = (int64_t)(index << unused) >> unused, bits = 8 * (int64_t)size;
	int64_t units = bit >= 0 ? bit / bits : -((bits - 1 - bit) / bits);
	return addr + (uintptr_t)(units * (int64_t)size);
}

static uint64_t part_at(uintptr_t addr, unsigned size)
{
	switch (size) {
	case 1:
		return *(const volatile uint8_t *)addr;
	case 2:
		return *(const volatile uint16_t *)addr;
	case 4:
		return *(const volatile uint32_t *)addr;
	default:
		return *(const volatile uint64_t *)addr;
	}
}

static uint64_t low(uint64_t value, unsigned size)
{
	return size < 8 ? value & ((1ull << 8 * size) - 1) : value;
}

/* Will the comparison hold, as things are? Decides what the record is, which has to be
 * made before that is known (see abi_atomic.c). */
static bool equals(const struct frame *f, enum dh_asm_what what, uintptr_t addr,
		   unsigned size)
{
	if (what == DH_ASM_COMPARE)
		return part_at(addr, size) == low(f->rax, size);
	return part_at(addr, size / 2) == low(f->rax, size / 2) &&
	       part_at(addr + size / 2, size / 2) == low(f->rdx, size / 2);
}

/* ---- before it ---- */

static void begin_store(struct operation *o, uint64_t pc)
{
	o->order = __ATOMIC_RELEASE;
	check(o->addr, o->size, true, pc);
	dh_saw_atomic(DH_ATOMIC_STORING, o->addr, o->size, o->order, pc);
	dh_edge_store_begin(&o->edge, o->addr, o->order);
	dh_edge_covers(&o->edge, o->size);
}

static void begin_other(struct operation *o, enum dh_asm_what what, bool write,
			uint64_t pc)
{
	bool load = what == DH_ASM_LOAD;
	o->order = load ? __ATOMIC_ACQUIRE : __ATOMIC_SEQ_CST;
	check(o->addr, o->size, write, pc);
	if (!load)
		dh_saw_atomic(DH_ATOMIC_MODIFYING, o->addr, o->size, o->order, pc);
	dh_edge_rmw_begin(&o->edge, o->addr, o->order, o->order);
	if (!load)
		dh_edge_covers(&o->edge, o->size);
}

static void begin(enum dh_asm_what what, uintptr_t addr, unsigned size,
		  const struct frame *f)
{
	if (operation.raised) {
		operation.within++;
		return;
	}
	if (what == DH_ASM_BIT)
		addr = beyond(addr, size, f->index);
	touch(addr, size);
	/* Becomes the thread's when no handler can come in between any more. */
	struct operation o = {.addr = addr, .size = size};
	bool write = what != DH_ASM_LOAD;
	if (what == DH_ASM_COMPARE || what == DH_ASM_COMPARE_PAIR)
		write = equals(f, what, addr, size);
	if (what == DH_ASM_STORE)
		begin_store(&o, f->pc);
	else
		begin_other(&o, what, write, f->pc);
	o.raised = o.edge.t;
	if (o.raised)
		dh_enter_runtime(o.raised);
	operation = o;
}

/* ---- behind it ---- */

static void end(enum dh_asm_what what, const struct frame *f)
{
	enum { ZERO_FLAG = 0x40 };
	bool wrote = what != DH_ASM_LOAD;
	if (what == DH_ASM_COMPARE || what == DH_ASM_COMPARE_PAIR)
		wrote = f->flags & ZERO_FLAG;
	if (operation.within) {
		operation.within--;
		return;
	}
	struct operation o = operation; /* handlers may run from here on */
	operation.raised = NULL;
	operation.edge.t = NULL;
	operation.edge.held = NULL;
	if (o.raised)
		dh_leave_runtime(o.raised);
	if (what == DH_ASM_STORE) {
		dh_edge_store_end(&o.edge);
		return;
	}
	dh_edge_rmw_end(&o.edge, o.addr, o.order, wrote);
	dh_edge_others(&o.edge, o.addr, o.size, o.order);
	dh_saw_atomic(what == DH_ASM_LOAD ? DH_ATOMIC_LOADED : DH_ATOMIC_MODIFIED, o.addr,
		      o.size, o.order, f->pc);
}

void dh_asm_told(uintptr_t addr, const struct frame *f)
{
	enum dh_asm_what what = f->code >> DH_ASM_WHAT_SHIFT & DH_ASM_WHAT;
	unsigned size = f->code & DH_ASM_SIZE;
	if (what == DH_ASM_FENCE)
		dh_edge_fence((int)size);
	else if (f->code & DH_ASM_END)
		end(what, f);
	else
		begin(what, addr, size, f);
}

#endif
