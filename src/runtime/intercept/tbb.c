/* SPDX-License-Identifier: MIT */
/*
 * Tasks of oneTBB, which the parallel algorithms of the C++ library are made of. Their
 * code, and the atomics that count what is still to be done, come from headers and are
 * watched. What is not is the library between them, and it is told here:
 *
 *   - who hands over a task comes before its run, on whichever thread;
 *   - who waits for a number of tasks comes after what was done before they were counted
 *     off;
 *   - memory that the library gives out starts fresh, whoever had it before.
 *
 * The library starts a task by a virtual function. So on its way the task has a table of
 * ours in place of its own, which puts the other back and passes the call on. The tables
 * stay: there are as many as classes of tasks.
 *
 * What has to be known is in the headers, and is the same for all of libtbb.so.12.
 */
#include "base/mem.h"
#include "runtime/abi.h"
#include "runtime/annotate.h"
#include "runtime/intercept/cxx.h"
#include "runtime/intercept/watch.h"
#include "runtime/sync.h"

struct task;
typedef struct task *method(struct task *t, void *data);

/* Two destructors come first. */
enum { EXECUTE = 2, CANCEL = 3, METHODS = 4 };

struct task {
	method **methods;
};

struct wait_context {
	uint64_t version;
	uint64_t count; /* atomic: of what is to be done */
};

/* ---- tables ---- */

struct table {
	struct table *next;
	method **original;
	void *facts[2]; /* where the object begins, and its type: part of such a table */
	method *methods[METHODS];
};

static struct table *tables; /* atomic */
static method execute, cancel;

static struct table *known(method *const *original)
{
	struct table *at = __atomic_load_n(&tables, __ATOMIC_ACQUIRE);
	while (at && at->original != original)
		at = at->next;
	return at;
}

static DH_COLD struct table *add(struct dh_self *t, method **original)
{
	dh_enter_runtime(t);
	struct table *made = dh_mem_alloc(sizeof *made);
	dh_leave_runtime(t);
	made->original = original;
	dh_copy(made->facts, original - DH_ARRAY_LEN(made->facts), sizeof made->facts);
	dh_copy(made->methods, original, sizeof made->methods);
	made->methods[EXECUTE] = execute;
	made->methods[CANCEL] = cancel;
	made->next = __atomic_load_n(&tables, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&tables, &made->next, made, true,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	return made;
}

/* ---- tasks ---- */

static void hand_over(struct task *task)
{
	struct dh_self *t = dh_watched();
	if (!t || task->methods[EXECUTE] == execute)
		return;
	struct table *table = known(task->methods);
	task->methods = (table ? table : add(t, task->methods))->methods;
	dh_sync_release(t, (uintptr_t)task);
}

/* Its own function of that number. */
static method *begin(struct task *task, unsigned which)
{
	struct dh_self *t = dh_watched();
	const struct table *table =
	    (const void *)((const char *)task->methods - offsetof(struct table, methods));
	task->methods = table->original;
	if (t)
		dh_sync_acquire(t, (uintptr_t)task);
	return task->methods[which];
}

static struct task *execute(struct task *task, void *data)
{
	return begin(task, EXECUTE)(task, data);
}

static struct task *cancel(struct task *task, void *data)
{
	return begin(task, CANCEL)(task, data);
}

/* ---- names ---- */

/* Of functions and of the types of their arguments, as compilers have them. */
#define IN_R1	"_ZN3tbb6detail2r1"
#define OF_TASK "ERNS0_2d14taskE"
#define CONTEXT "RNS2_18task_group_contextE"
#define ARENA	"PNS2_15task_arena_baseE"
#define OF_POOL "ERPNS0_2d117small_object_poolE"

/* The library's own function of that name, to be called in place of f. */
#define REAL(f, name)                                                                    \
	({                                                                               \
		static void *place; /* atomic */                                         \
		(__typeof__(f) *)dh_cxx_find(name, &place);                              \
	})

/* ---- handing over ---- */

#define HAND_OVER(f, name, parameters, ...)                                              \
	DH_EXPORT void f parameters __asm__(name);                                       \
	void f parameters                                                                \
	{                                                                                \
		hand_over(task);                                                         \
		REAL(f, name)(__VA_ARGS__);                                              \
	}
HAND_OVER(spawn, IN_R1 "5spawn" OF_TASK CONTEXT, (struct task * task, void *context),
	  task, context)
HAND_OVER(spawn_at, IN_R1 "5spawn" OF_TASK CONTEXT "t",
	  (struct task * task, void *context, unsigned short slot), task, context, slot)
HAND_OVER(enqueue, IN_R1 "7enqueue" OF_TASK ARENA, (struct task * task, void *arena),
	  task, arena)
HAND_OVER(enqueue_in, IN_R1 "7enqueue" OF_TASK CONTEXT ARENA,
	  (struct task * task, void *context, void *arena), task, context, arena)
HAND_OVER(submit, IN_R1 "6submit" OF_TASK CONTEXT "PNS1_5arenaEm",
	  (struct task * task, void *context, void *arena, uintptr_t critical), task,
	  context, arena, critical)

/* ---- waiting ---- */

static void has_waited(const struct wait_context *w)
{
	struct dh_self *t = dh_watched();
	if (t)
		dh_sync_acquire(t, (uintptr_t)&w->count);
}

#define WAIT(f, name, parameters, ...)                                                   \
	DH_EXPORT void f parameters __asm__(name);                                       \
	void f parameters                                                                \
	{                                                                                \
		REAL(f, name)(__VA_ARGS__);                                              \
		has_waited(w);                                                           \
	}
WAIT(wait_for, IN_R1 "4waitERNS0_2d112wait_contextE" CONTEXT,
     (struct wait_context * w, void *context), w, context)
/* The task is run by who waits. */
WAIT(run, IN_R1 "16execute_and_wait" OF_TASK CONTEXT "RNS2_12wait_contextES6_",
     (struct task * task, void *context, struct wait_context *w, void *other), task,
     context, w, other)

/* ---- memory ---- */

static void *fresh(void *memory, size_t size)
{
	if (memory)
		dh_annotate_new_memory((uintptr_t)memory, size);
	return memory;
}

#define ALLOCATE(f, name, parameters, ...)                                               \
	DH_EXPORT void *f parameters __asm__(name);                                      \
	void *f parameters                                                               \
	{                                                                                \
		return fresh(REAL(f, name)(__VA_ARGS__), size);                          \
	}
ALLOCATE(allocate, IN_R1 "8allocate" OF_POOL "m", (void *pool, size_t size), pool, size)
ALLOCATE(allocate_in, IN_R1 "8allocate" OF_POOL "mRKNS2_14execution_dataE",
	 (void *pool, size_t size, const void *data), pool, size, data)
ALLOCATE(allocate_plain, IN_R1 "15allocate_memoryEm", (size_t size), size)
ALLOCATE(allocate_aligned, IN_R1 "22cache_aligned_allocateEm", (size_t size), size)
