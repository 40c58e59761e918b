/* SPDX-License-Identifier: MIT */
/* See kmpc_untied.h. */
#include "runtime/intercept/kmpc_untied.h"
#include "base/map.h"
#include "base/vec.h"
#include "runtime/abi.h"
#include "runtime/inside.h"
#include "runtime/intercept/kmpc.h"
#include "runtime/intercept/real.h"

typedef int code(int thread, void *task);

/* How a task begins. The library copies it as a whole for the tasks of a loop. */
struct task {
	void *shared;
	code *code;
	int32_t part;	/* the next; 0 at first */
	uint32_t entry; /* ours, where there is nothing: which code it is */
};

static struct dh_map by_code;	    /* to index */
static struct dh_vec(code *) codes; /* under the lock, both */
static struct dh_lock lock;
DH_LOCK_AROUND_FORK(lock, DH_FORK_OUTER);

static uint32_t number_of(code *c)
{
	struct dh_self *t = dh_lock_inside(&lock);
	bool fresh;
	uint64_t *index = dh_map_put(&by_code, (uintptr_t)c, &fresh);
	if (fresh) {
		*index = codes.len;
		dh_vec_push(&codes, c);
	}
	uint32_t number = (uint32_t)*index;
	dh_unlock_inside(&lock, t);
	return number;
}

static code *code_by(uint32_t number)
{
	struct dh_self *t = dh_lock_inside(&lock);
	code *c = codes.at[number];
	dh_unlock_inside(&lock, t);
	return c;
}

/* What the thread runs: the innermost, and whether it has asked for its next part. */
struct run {
	struct task *task;
	bool goes_on;
};
static __thread struct run *innermost __attribute__((tls_model("initial-exec")));

static int run_parts(int thread, void *task)
{
	struct task *k = task;
	code *c = code_by(k->entry);
	struct run mine = {.task = k, .goes_on = true}, *outer = innermost;
	int result = 0;
	while (mine.goes_on) {
		mine.goes_on = false;
		innermost = &mine;
		result = c(thread, task);
		innermost = outer;
	}
	return result;
}

void *dh_untied_code(void)
{
	return (void *)(uintptr_t)run_parts;
}

void dh_untied_mark(void *task, void *entry)
{
	((struct task *)task)->entry = number_of((code *)(uintptr_t)entry);
}

void *dh_untied_entry(void *task)
{
	struct task *k = task;
	code *c = k->code == run_parts ? code_by(k->entry) : k->code;
	return (void *)(uintptr_t)c;
}

/* An undeferred task begins by a call of the program's own: the rest of its parts then
 * run before that returns. */
DH_REAL_WANT(__kmpc_omp_task);
DH_EXPORT int __kmpc_omp_task(void *place, int thread, void *task)
{
	struct task *k = task;
	if (DH_LIKELY(k->code != run_parts || k->part == 0))
		return DH_REAL(__kmpc_omp_task)(place, thread, task);
	if (innermost && innermost->task == k)
		innermost->goes_on = true;
	else
		run_parts(thread, task);
	return 0;
}
