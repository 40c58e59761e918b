/* SPDX-License-Identifier: MIT */
/*
 * References to a C++ exception that several threads have. The library counts them with
 * atomics of its own, which nobody sees; the destructor that the last one calls is the
 * program's, and is watched. So whoever lets go comes before it.
 *
 * A reference is given up by an exception_ptr, and at the end of a handler. Who is not
 * the last says so (a release) and then counts down here, in the library's place. Who is
 * the last learns what the others have said and leaves the rest to the library: nobody
 * but the owner of the only reference can make another, so it stays the last.
 *
 * What has to be known is how gcc's and clang's libraries lay out an exception on 64-bit
 * machines, which is part of their binary interfaces: a head, of a size of its own in
 * each; the part that is the same in both; the object. Exceptions of other languages and
 * libraries are passed on as they are.
 */
#include "runtime/abi.h"
#include "runtime/intercept/cxx.h"
#include "runtime/intercept/watch.h"
#include "runtime/sync.h"

struct exception {
	char *next;
	int handlers; /* that have begun and not ended; negative: it is thrown again */
	int switched;
	void *search[4];
	uint64_t class;
	void *unwind[3];
};
_Static_assert(sizeof(struct exception) == 80, "the binary interfaces say so");

/* The last byte of a class tells an exception from one without an object: another
 * reference to that of the first, for a thread that throws it again. */
enum { KIND = 0xff, SECOND = 1 };

typedef void letter_go(void *object);
static letter_go let_go_gnu, let_go_llvm;

static const struct library {
	uint64_t class;
	size_t head;
	size_t first;	   /* in the head of a second reference: the object's address */
	size_t references; /* before the object: how many, an int or its lower half */
	letter_go *let_go;
} libraries[] = {
    {0x474e5543432b2b00 /* GNUCC++ */, 32, 0, 128, let_go_gnu},
    {0x434c4e47432b2b00 /* CLNGC++ */, 48, 8, 120, let_go_llvm},
};
enum { GNU, LLVM };

static int *references_of(const struct library *l, void *object)
{
	return (int *)((char *)object - l->references);
}

/* Is it the only one? Then its owner knows what was done with the others. */
static bool is_only(struct dh_self *t, int *references)
{
	if (__atomic_load_n(references, __ATOMIC_ACQUIRE) > 1)
		return false;
	dh_sync_acquire(t, (uintptr_t)references);
	return true;
}

/* Gives up a reference, or returns false where it is the only one. */
static bool gave_up(struct dh_self *t, int *references)
{
	while (!is_only(t, references)) {
		int now = __atomic_load_n(references, __ATOMIC_RELAXED);
		dh_sync_release_join(t, (uintptr_t)references);
		if (now > 1 &&
		    __atomic_compare_exchange_n(references, &now, now - 1, false,
						__ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return true;
	}
	return false;
}

/* ---- pointers ---- */

/* gcc's exception_ptr is given itself, and clang's the object that it points to. */
struct pointer {
	void *object;
};
#define RELEASE _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv
DH_EXPORT void RELEASE(struct pointer *p);
DH_EXPORT void __cxa_decrement_exception_refcount(void *object);

void RELEASE(struct pointer *p)
{
	struct dh_self *t = dh_watched();
	if (!t || !p->object || !gave_up(t, references_of(&libraries[GNU], p->object)))
		DH_CXX(_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv)(p);
}

static void let_go_gnu(void *object)
{
	struct pointer p = {object};
	RELEASE(&p);
}

void __cxa_decrement_exception_refcount(void *object)
{
	struct dh_self *t = dh_watched();
	if (!t || !object || !gave_up(t, references_of(&libraries[LLVM], object)))
		DH_CXX(__cxa_decrement_exception_refcount)(object);
}

static void let_go_llvm(void *object)
{
	__cxa_decrement_exception_refcount(object);
}

/* ---- handlers ---- */

/* What a thread has caught and not left begins with the innermost. */
DH_EXPORT void __cxa_end_catch(void);
char **__cxa_get_globals_fast(void);

/* A reference that the end of a handler gives up. */
struct held {
	const struct library *library;
	void *object; /* NULL: none */
};

static struct held held_by(char *head)
{
	for (size_t i = 0; head && i < DH_ARRAY_LEN(libraries); i++) {
		const struct library *l = &libraries[i];
		struct exception *e = (struct exception *)(head + l->head);
		if ((e->class & ~(uint64_t)KIND) != l->class)
			continue;
		if (e->handlers != 1)
			break;
		bool second = (e->class & KIND) == SECOND;
		return (struct held){l, second ? *(void **)(head + l->first) : e + 1};
	}
	return (struct held){NULL, NULL};
}

/* A reference of our own, given up after the library's, makes that not the last. */
void __cxa_end_catch(void)
{
	struct dh_self *t = dh_watched();
	struct held h = held_by(t ? *DH_CXX(__cxa_get_globals_fast)() : NULL);
	int *references = h.object ? references_of(h.library, h.object) : NULL;
	if (!references || is_only(t, references)) {
		DH_CXX(__cxa_end_catch)();
		return;
	}
	__atomic_fetch_add(references, 1, __ATOMIC_RELAXED);
	DH_CXX(__cxa_end_catch)();
	h.library->let_go(h.object);
}
