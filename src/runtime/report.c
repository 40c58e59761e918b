/* SPDX-License-Identifier: MIT */
/* See report.h. */
#define _DEFAULT_SOURCE
#include "runtime/report.h"
#include "base/lock.h"
#include "base/sys.h"
#include "report/wire.h"
#include "runtime/channel.h"
#include "runtime/flags.h"
#include "runtime/hooks.h"
#include "base/kernel.h"
#include "runtime/modules.h"
#include "runtime/race.h"
#include "runtime/sync.h"

#include <linux/fcntl.h>
#include <stdlib.h>

enum { MOST_ANCESTORS = 8, MOST_COUNTERS = 64 };

static struct dh_lock lock;	    /* for everything below, and the channel */
static struct dh_text message;	    /* in the making; kept for its room */
static struct dh_vec(uint64_t) pcs; /* likewise */
static uint32_t modules_told;	    /* modules that the helper knows */
static struct dh_vec(uint8_t) gone_told;
static bool finished;
static long own_process;
static struct dh_text log_path, json_path;

/* ---- packing ---- */

static void word(uint64_t n)
{
	dh_text_bytes(&message, &n, sizeof n);
}

static void bytes(const char *s, size_t n)
{
	word(n);
	dh_text_bytes(&message, s, n);
}

static void text(const char *s)
{
	bytes(s, dh_text_length(s));
}

static void begin(enum dh_wire_kind kind)
{
	message.len = 0;
	word(kind);
	word(0);
}

static bool send(void)
{
	uint64_t payload = message.len - 2 * sizeof(uint64_t);
	dh_copy(message.at + sizeof payload, &payload, sizeof payload);
	return dh_channel_send(message.at, message.len);
}

/* The stack of a site, in pcs, as the wire has it. */
static void walk(uint32_t site)
{
	pcs.len = 0;
	if (site == DH_SITE_UNKNOWN)
		return;
	dh_vec_push(&pcs, dh_site_pc(dh_contexts, site));
	uint32_t node = dh_site_node(dh_contexts, site);
	for (; node != DH_CONTEXT_ROOT; node = dh_context_parent(dh_contexts, node)) {
		dh_vec_push(&pcs, dh_context_pc(dh_contexts, node));
		if (dh_context_is_folded(dh_contexts, node))
			dh_vec_push(&pcs, DH_WIRE_FOLDED);
	}
}

static void stack(uint32_t site)
{
	walk(site);
	word(pcs.len);
	for (size_t i = 0; i < pcs.len; i++)
		word(pcs.at[i]);
}

static void side(const struct dh_race_side *s)
{
	word(s->flags);
	word(s->address);
	word(s->size);
	word(s->thread ? s->thread->id : DH_WIRE_NO_THREAD);
	stack(s->site);
}

static void thread(const struct dh_thread_info *info)
{
	size_t n = 0;
	while (n < DH_NAME_MAX && info->name[n])
		n++;
	word(info->id);
	word(info->parent);
	word(info->os_id);
	word((info->running ? DH_WIRE_RUNNING : 0) | (info->id == 0 ? DH_WIRE_MAIN : 0));
	bytes(info->name, n);
	stack(info->created_at);
}

struct crowd {
	const struct dh_thread_info *at[6 * MOST_ANCESTORS];
	size_t len;
};

/* A thread and the ones that it comes from. */
static void gather(struct crowd *c, const struct dh_thread_info *info)
{
	for (unsigned depth = 0; info && depth < MOST_ANCESTORS; depth++) {
		for (size_t i = 0; i < c->len; i++)
			if (c->at[i] == info)
				return;
		c->at[c->len++] = info;
		info = info->id == 0 ? NULL : dh_thread_by_id(info->parent);
	}
}

static void threads(const struct dh_race_facts *f)
{
	struct crowd c = {.len = 0};
	gather(&c, f->second.thread);
	gather(&c, f->first.thread);
	gather(&c, f->stack_owner);
	if (f->in_heap && f->block.alloc_site)
		gather(&c, dh_thread_by_id(f->block.alloc_thread));
	if (f->in_heap && f->block.freed)
		gather(&c, dh_thread_by_id(f->block.free_thread));
	word(c.len);
	for (size_t i = 0; i < c.len; i++)
		thread(c.at[i]);
}

static void held(const struct dh_held *h)
{
	char name[DH_NAME_MAX] = "";
	uint32_t made = 0;
	struct dh_sync *s = dh_sync_lock(h->lock, false);
	if (s) {
		dh_copy(name, s->name, sizeof name);
		made = s->created_at;
		dh_sync_unlock(s);
	}
	name[sizeof name - 1] = '\0';
	word(h->lock);
	word(h->write ? DH_WIRE_LOCK_WRITE : 0);
	text(name);
	stack(h->site);
	stack(made);
}

static void object(const struct dh_race_facts *f)
{
	const struct dh_heap_block *b = &f->block;
	if (f->in_heap) {
		word(DH_OBJECT_HEAP);
		word(b->base);
		word(b->size);
		word(b->alloc_site ? b->alloc_thread : DH_WIRE_NO_THREAD);
		stack(b->alloc_site);
		word(b->freed);
		word(b->freed ? b->free_thread : DH_WIRE_NO_THREAD);
		stack(b->freed ? b->free_site : 0);
	} else if (f->stack_owner) {
		word(DH_OBJECT_STACK);
		word(f->stack_owner->id);
	} else {
		word(DH_OBJECT_UNKNOWN);
	}
}

/* ---- sending ---- */

static bool tell_hello(void)
{
	uint64_t flags = (dh_flags.quiet ? DH_HELLO_QUIET : 0) |
			 (dh_flags.verbose ? DH_HELLO_VERBOSE : 0) |
			 (dh_flags.stats ? DH_HELLO_STATS : 0) |
			 (dh_flags.colour == DH_COLOUR_ALWAYS ? DH_HELLO_COLOUR : 0) |
			 (dh_flags.colour == DH_COLOUR_NEVER ? DH_HELLO_PLAIN : 0);
	begin(DH_WIRE_HELLO);
	word(DH_WIRE_VERSION);
	word((uint64_t)own_process);
	word(flags);
	text(dh_text_c(&log_path));
	text(dh_text_c(&json_path));
	modules_told = 0;
	gone_told.len = 0;
	return send();
}

static bool tell_module(const struct dh_module *m)
{
	begin(DH_WIRE_MODULE);
	word(m->number);
	text(m->path);
	word(m->segments.len);
	for (size_t i = 0; i < m->segments.len; i++) {
		word(m->segments.at[i].start);
		word(m->segments.at[i].end);
		word(m->segments.at[i].offset);
		word(m->segments.at[i].executable);
	}
	return send();
}

/* What the helper does not know yet of the modules. */
static bool tell_modules(void)
{
	uint32_t count = dh_modules_count();
	bool good = true;
	for (; good && modules_told < count; modules_told++)
		good = tell_module(dh_modules_at(modules_told));
	dh_vec_grow(&gone_told, count);
	for (uint32_t i = 0; good && i < count; i++) {
		if (gone_told.at[i] ||
		    !__atomic_load_n(&dh_modules_at(i)->gone, __ATOMIC_RELAXED))
			continue;
		gone_told.at[i] = 1;
		begin(DH_WIRE_GONE);
		word(i);
		good = send();
	}
	return good;
}

/* A helper that knows the modules. */
static bool connect(void)
{
	bool fresh;
	if (!dh_channel_open(&fresh))
		return false;
	return (!fresh || tell_hello()) && tell_modules();
}

static void know_modules(const struct dh_race_facts *f)
{
	uint32_t sites[] = {f->second.site, f->first.site, f->block.alloc_site,
			    f->block.free_site};
	for (size_t i = 0; i < DH_ARRAY_LEN(sites); i++) {
		walk(sites[i]);
		size_t kept = 0;
		for (size_t k = 0; k < pcs.len; k++)
			if (pcs.at[k] < DH_WIRE_FOLDED)
				pcs.at[kept++] = pcs.at[k];
		dh_modules_know(pcs.at, kept);
	}
}

static bool send_race(const struct dh_race_facts *f)
{
	if (!connect())
		return false;
	begin(DH_WIRE_RACE);
	word(f->serial);
	word(f->address);
	word(f->size);
	side(&f->second);
	side(&f->first);
	threads(f);
	word(f->lock_count);
	for (uint32_t i = 0; i < f->lock_count; i++)
		held(&f->locks[i]);
	word(f->locks_lost);
	text(f->label);
	object(f);
	return send();
}

static void write_plain(void)
{
	long fd = 2;
	if (log_path.len)
		fd = DH_KERNEL_4(__NR_openat, AT_FDCWD, dh_text_c(&log_path),
				 O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (fd < 0)
		fd = 2;
	dh_sys_write((int)fd, message.at, message.len);
	if (fd != 2)
		DH_KERNEL_1(__NR_close, fd);
}

void dh_report_race(const struct dh_race_facts *f)
{
	dh_lock(&lock);
	if (!finished) {
		know_modules(f);
		if (!send_race(f) && !dh_flags.quiet) {
			message.len = 0;
			dh_plain_race(&message, f);
			write_plain();
		}
	}
	dh_unlock(&lock);
}

/* ---- the end ---- */

static bool lost_something(const struct dh_report_counter *c, size_t n)
{
	bool lost = false;
	for (size_t i = 0; i < n; i++)
		lost |= c[i].loss && c[i].value;
	return lost;
}

static bool send_end(const struct dh_report_counter *c, size_t n)
{
	dh_modules_scan();
	if (!connect())
		return false;
	begin(DH_WIRE_END);
	word(dh_race_distinct());
	word(dh_race_total());
	word(n);
	for (size_t i = 0; i < n; i++) {
		word(c[i].loss);
		text(c[i].name);
		word(c[i].value);
	}
	return send() && dh_channel_wait();
}

static void end(void)
{
	struct dh_report_counter c[MOST_COUNTERS];
	size_t n = dh_report_counters(c, MOST_COUNTERS);
	bool races = dh_race_distinct() > 0;
	if (!races && !lost_something(c, n) && !dh_flags.verbose && !dh_flags.stats &&
	    !json_path.len)
		return;
	if (!send_end(c, n) && !dh_flags.quiet) {
		message.len = 0;
		dh_plain_end(&message, dh_race_distinct(), dh_race_total());
		write_plain();
	}
	dh_channel_close();
}

/* The grades that count are those that this engine gives: all its findings are
 * observed. */
static int status(void)
{
	bool failed = dh_hook_finalize(dh_race_distinct() != 0);
	return failed && dh_flags.exit_code ? (int)dh_flags.exit_code : -1;
}

int dh_report_finish(void)
{
	if (DH_KERNEL_0(__NR_getpid) != own_process)
		return -1;
	struct dh_self *t = dh_thread_self();
	dh_enter_runtime(t);
	dh_lock(&lock);
	if (!finished)
		end();
	finished = true;
	dh_unlock(&lock);
	dh_leave_runtime(t);
	return status();
}

void dh_report_flush(void)
{
	if (DH_KERNEL_0(__NR_getpid) != own_process || !dh_race_distinct())
		return;
	struct dh_self *t = dh_thread_self();
	dh_enter_runtime(t);
	dh_lock(&lock);
	if (!finished && connect()) {
		begin(DH_WIRE_FLUSH);
		if (send())
			dh_channel_wait();
	}
	dh_unlock(&lock);
	dh_leave_runtime(t);
}

/* After the program's own handlers and the destructors of all libraries. Another exit()
 * from here has libc write out its streams and end with the new status. */
static void at_exit(int old_status, void *unused)
{
	(void)unused;
	int new_status = dh_report_finish();
	if (new_status >= 0 && new_status != old_status)
		exit(new_status);
}

/* ---- set-up ---- */

/* A file's name made absolute, %p replaced: the program may change its folder. */
static void expand(struct dh_text *to, const char *path)
{
	enum { LONGEST = 4096 };
	to->len = 0;
	if (!*path)
		return;
	if (*path != '/') {
		dh_vec_reserve(to, LONGEST + 2);
		long n = DH_KERNEL_2(__NR_getcwd, to->at, LONGEST);
		to->len = n > 0 ? (size_t)n - 1 : 0;
		dh_text_add(to, n > 0 ? "/" : "");
	}
	for (; *path; path++) {
		if (path[0] == '%' && path[1] == 'p') {
			dh_text_number(to, (uint64_t)own_process);
			path++;
		} else {
			dh_text_bytes(to, path, 1);
		}
	}
}

static void set_process(void)
{
	own_process = DH_KERNEL_0(__NR_getpid);
	expand(&log_path, dh_flags.log);
	expand(&json_path, dh_flags.json);
}

void dh_report_init(void)
{
	set_process();
	dh_channel_init();
	on_exit(at_exit, NULL);
}

void dh_report_to(const char *path)
{
	dh_lock(&lock);
	if (!*dh_flags.log) {
		static struct dh_text kept;
		kept.len = 0;
		dh_text_add(&kept, path);
		dh_text_add(&kept, ".%p");
		dh_flags.log = dh_text_c(&kept);
		expand(&log_path, dh_flags.log);
	}
	dh_unlock(&lock);
}

void dh_report_before_fork(void)
{
	dh_lock(&lock);
}

void dh_report_after_fork(bool child)
{
	if (child) {
		dh_channel_close();
		set_process();
		dh_race_forget_counts();
	}
	dh_unlock(&lock);
}
