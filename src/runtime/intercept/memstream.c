/* SPDX-License-Identifier: MIT */
/* See memstream.h. There are few of them at a time: they are kept in a list. */
#define _GNU_SOURCE
#include "runtime/intercept/memstream.h"
#include <wchar.h>
#include "base/lock.h"
#include "base/vec.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/touch.h"

struct entry {
	const FILE *stream;
	struct dh_memstream facts;
};

static struct dh_lock lock;
DH_LOCK_AROUND_FORK(lock, DH_FORK_OUTER);
static struct dh_vec(struct entry) entries; /* under the lock */
static size_t count;			    /* of them; atomic */

static void keep(const FILE *f, struct dh_memstream facts)
{
	struct dh_self *t = dh_thread_self();
	dh_enter_runtime(t);
	dh_lock(&lock);
	dh_vec_push(&entries, (struct entry){f, facts});
	__atomic_store_n(&count, entries.len, __ATOMIC_RELAXED);
	dh_unlock(&lock);
	dh_leave_runtime(t);
}

static bool look(const FILE *f, bool closing, struct dh_memstream *out)
{
	for (size_t i = 0; i < entries.len; i++) {
		if (entries.at[i].stream != f)
			continue;
		*out = entries.at[i].facts;
		if (closing)
			entries.at[i] = entries.at[--entries.len];
		__atomic_store_n(&count, entries.len, __ATOMIC_RELAXED);
		return true;
	}
	return false;
}

bool dh_memstream_find(const FILE *f, bool closing, struct dh_memstream *out)
{
	struct dh_self *t = dh_thread_self();
	if (DH_LIKELY(!__atomic_load_n(&count, __ATOMIC_RELAXED)) || t->inside)
		return false;
	dh_enter_runtime(t);
	dh_lock(&lock);
	bool found = look(f, closing, out);
	dh_unlock(&lock);
	dh_leave_runtime(t);
	return found;
}

void dh_memstream_told(const struct dh_memstream *s, uint64_t pc)
{
	DH_WRITES_OBJECT(s->text, pc);
	DH_WRITES_OBJECT(s->size, pc);
	if (*s->text)
		dh_writes(*s->text, (*s->size + 1) * s->wide, pc);
}

DH_REAL_WANT(open_memstream);
DH_EXPORT FILE *open_memstream(char **text, size_t *size)
{
	FILE *f;
	dh_call_begin(DH_CALLER());
	f = DH_REAL(open_memstream)(text, size);
	dh_call_end();
	if (f)
		keep(f, (struct dh_memstream){(void **)text, size, 1});
	return f;
}

DH_REAL_WANT(open_wmemstream);
DH_EXPORT FILE *open_wmemstream(wchar_t **text, size_t *size)
{
	FILE *f;
	dh_call_begin(DH_CALLER());
	f = DH_REAL(open_wmemstream)(text, size);
	dh_call_end();
	if (f)
		keep(f, (struct dh_memstream){(void **)text, size, sizeof(wchar_t)});
	return f;
}
