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

static struct entry *look(const FILE *f)
{
	for (size_t i = 0; i < entries.len; i++)
		if (entries.at[i].stream == f)
			return &entries.at[i];
	return NULL;
}

static bool find(const FILE *f, struct dh_memstream *out)
{
	struct dh_self *t = dh_thread_self();
	if (DH_LIKELY(!__atomic_load_n(&count, __ATOMIC_RELAXED)) || t->inside)
		return false;
	dh_enter_runtime(t);
	dh_lock(&lock);
	const struct entry *e = look(f);
	if (e)
		*out = e->facts;
	dh_unlock(&lock);
	dh_leave_runtime(t);
	return e != NULL;
}

/* It is somewhere else now; GONE: it is no longer. */
static const size_t GONE = SIZE_MAX;

static void move(const FILE *f, size_t to)
{
	struct dh_self *t = dh_thread_self();
	dh_enter_runtime(t);
	dh_lock(&lock);
	struct entry *e = look(f);
	if (e && to != GONE)
		e->facts.at = to;
	else if (e)
		*e = entries.at[--entries.len];
	__atomic_store_n(&count, entries.len, __ATOMIC_RELAXED);
	dh_unlock(&lock);
	dh_leave_runtime(t);
}

/* Of one that is known: others may call the program to find out. */
DH_REAL_WANT(ftello);
static size_t position(FILE *f)
{
	off_t at = DH_REAL(ftello)(f);
	return at < 0 ? 0 : (size_t)at;
}

bool dh_memstream_find(FILE *f, bool closing, struct dh_memstream *out)
{
	if (!find(f, out))
		return false;
	if (out->buffer) {
		out->pending = (size_t)(f->_IO_write_ptr - f->_IO_write_base);
		out->at = position(f);
	}
	if (closing || out->buffer)
		move(f, closing ? GONE : out->at);
	return true;
}

void dh_memstream_read(FILE *f, uint64_t pc)
{
	struct dh_memstream s;
	if (!find(f, &s) || !s.buffer)
		return;
	size_t now = position(f);
	if (s.at < now && now <= s.room)
		dh_reads(s.buffer + s.at, now - s.at, pc);
	move(f, now);
}

void dh_memstream_moved(FILE *f)
{
	struct dh_memstream s;
	if (find(f, &s) && s.buffer)
		move(f, position(f));
}

/* What does not fit is lost. */
static void buffer_told(const struct dh_memstream *s, uint64_t pc)
{
	size_t from = s->at - s->pending, to = DH_MIN(s->at, s->room);
	if (s->pending <= s->at && from < to)
		dh_writes(s->buffer + from, to - from, pc);
}

void dh_memstream_told(const struct dh_memstream *s, uint64_t pc)
{
	if (s->buffer) {
		buffer_told(s, pc);
		return;
	}
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
		keep(f, (struct dh_memstream){
			    .text = (void **)text, .size = size, .wide = 1});
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
		keep(f, (struct dh_memstream){.text = (void **)text,
					      .size = size,
					      .wide = sizeof(wchar_t)});
	return f;
}

/* What is appended goes where nobody here knows. */
DH_REAL_WANT(fmemopen);
DH_EXPORT FILE *fmemopen(void *buffer, size_t size, const char *mode)
{
	FILE *f;
	dh_reads_text(mode, DH_CALLER());
	dh_call_begin(DH_CALLER());
	f = DH_REAL(fmemopen)(buffer, size, mode);
	dh_call_end();
	if (f && buffer && *mode != 'a')
		keep(f, (struct dh_memstream){.buffer = buffer, .room = size});
	return f;
}
