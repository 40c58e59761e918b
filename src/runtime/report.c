/* SPDX-License-Identifier: MIT */
/* See report.h. */
#define _DEFAULT_SOURCE
#include "runtime/report.h"
#include "base/kernel.h"
#include "base/lock.h"
#include "base/sys.h"
#include "runtime/channel.h"
#include "runtime/debugger.h"
#include "runtime/evidence.h"
#include "runtime/faults.h"
#include "runtime/findings.h"
#include "runtime/flags.h"
#include "runtime/helper.h"
#include "runtime/hooks.h"
#include "runtime/message.h"
#include "runtime/modules.h"
#include "runtime/observer.h"
#include "runtime/race.h"
#include "runtime/untracked.h"

#include <linux/fcntl.h>
#include <stdlib.h>

enum { MOST_COUNTERS = 96 };

static struct dh_lock lock; /* for everything below, the message and the helper */
static bool finished;
static bool forked; /* this process is the child of one that was watched */
static uint64_t standing; /* races that count: of all, those that the helper leaves */
static long own_process;

/* ---- races ---- */

/* Waits until the helper has written all that it was told. *left, unless NULL, gets its
 * answer. */
static bool flush(uint64_t *left)
{
	uint64_t answer;
	dh_message_begin(DH_WIRE_FLUSH);
	if (!dh_message_send() || !dh_channel_wait(&answer))
		return false;
	if (left)
		*left = answer;
	return true;
}

/* The first process of a namespace takes all others with it when it ends: the helper
 * would have no time to write. */
static bool send_race(const struct dh_race_facts *f, bool further)
{
	if (!dh_helper_connect())
		return false;
	dh_facts_pack(f, further);
	bool good = dh_message_send();
	dh_helper_races += good && !further && dh_race_counts(f);
	return good && (own_process != 1 || flush(NULL));
}

static void write_plain(const struct dh_text *text)
{
	const char *path = dh_helper_log();
	long fd = 2;
	if (*path)
		fd = DH_KERNEL_4(__NR_openat, AT_FDCWD, path,
				 O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (fd < 0)
		fd = 2;
	dh_sys_write((int)fd, text->at, text->len);
	if (fd != 2)
		DH_KERNEL_1(__NR_close, fd);
}

static void report(const struct dh_race_facts *f, bool further)
{
	if (send_race(f, further) || dh_flags.quiet)
		return;
	struct dh_text *text = dh_message_as_text();
	dh_plain_race(text, f, further);
	write_plain(text);
}

enum dh_race_part dh_report_race(struct dh_race_facts *f)
{
	dh_lock(&lock);
	if (!finished)
		dh_facts_know_modules(f);
	enum dh_race_part part = dh_findings_place(f);
	if (!finished && part != DH_RACE_TOLD)
		report(f, part == DH_RACE_FURTHER);
	dh_unlock(&lock);
	return part;
}

/* ---- the end ---- */

static bool lost_something(const struct dh_report_counter *c, size_t n)
{
	bool lost = false;
	for (size_t i = 0; i < n; i++)
		lost |= c[i].loss && c[i].value;
	return lost;
}

static bool send_evidence(void)
{
	struct dh_evidence e;
	bool good = true;
	for (uint32_t i = 0; good && dh_evidence_get(i, &e); i++) {
		if (!e.facts.accesses)
			continue;
		dh_facts_pack_evidence(&e);
		good = dh_message_send();
	}
	return good;
}

static bool send_end(const struct dh_report_counter *c, size_t n)
{
	dh_modules_scan();
	if (!dh_helper_connect() || !send_evidence())
		return false;
	dh_message_begin(DH_WIRE_END);
	dh_message_word(dh_findings_distinct());
	dh_message_word(dh_race_total());
	dh_message_word(n);
	for (size_t i = 0; i < n; i++) {
		dh_message_word(c[i].loss);
		dh_message_text(c[i].name);
		dh_message_word(c[i].value);
	}
	uint64_t left;
	if (!dh_message_send() || !dh_channel_wait(&left))
		return false;
	/* Races that this helper has not been told of count. */
	standing = dh_findings_counting() - dh_helper_races + left;
	return true;
}

static void end(void)
{
	struct dh_report_counter c[MOST_COUNTERS];
	size_t n = dh_report_counters(c, MOST_COUNTERS);
	bool races = dh_findings_distinct() > 0;
	standing = dh_findings_counting();
	if (!races && !lost_something(c, n) && !dh_flags.verbose && !dh_flags.stats &&
	    !*dh_helper_json())
		return;
	if (!send_end(c, n) && !dh_flags.quiet) {
		struct dh_text *text = dh_message_as_text();
		dh_plain_end(text, dh_findings_distinct(), dh_race_total());
		write_plain(text);
	}
	dh_channel_close();
}

static int status(void)
{
	bool failed = dh_hook_finalize(standing != 0);
	return failed && dh_flags.exit_code ? (int)dh_flags.exit_code : -1;
}

int dh_report_finish(void)
{
	if (DH_KERNEL_0(__NR_getpid) != own_process)
		return -1;
	struct dh_self *t = dh_thread_self();
	dh_fault_past(t);
	dh_enter_runtime(t);
	if (dh_observer && dh_observer->finish)
		dh_observer->finish();
	dh_lock(&lock);
	bool first = !finished;
	if (first)
		end();
	finished = true;
	dh_unlock(&lock);
	if (first && standing)
		dh_debugger_end(standing);
	dh_leave_runtime(t);
	return status();
}

void dh_report_flush(uint64_t *left)
{
	if (DH_KERNEL_0(__NR_getpid) != own_process || !dh_findings_distinct())
		return;
	struct dh_self *t = dh_thread_self();
	dh_enter_runtime(t);
	dh_lock(&lock);
	if (!finished && dh_helper_connect())
		flush(left);
	dh_unlock(&lock);
	dh_leave_runtime(t);
}

/* A child that shares our memory has files of its own. */
bool dh_report_keeps(int fd)
{
	if (DH_LIKELY(fd < 0 || fd != dh_channel_number()) ||
	    DH_KERNEL_0(__NR_getpid) != own_process)
		return false;
	struct dh_self *t = dh_thread_self();
	dh_enter_runtime(t);
	dh_lock(&lock);
	bool keeps = dh_channel_keeps(fd);
	dh_unlock(&lock);
	dh_leave_runtime(t);
	return keeps;
}

void dh_report_give_way(int fd)
{
	if (DH_LIKELY(fd < 0 || fd != dh_channel_number()) ||
	    DH_KERNEL_0(__NR_getpid) != own_process)
		return;
	struct dh_self *t = dh_thread_self();
	dh_enter_runtime(t);
	dh_lock(&lock);
	dh_channel_give_way(fd);
	dh_unlock(&lock);
	dh_leave_runtime(t);
}

void dh_report_closing(int fd)
{
	if (DH_LIKELY(fd != 2) || forked || *dh_helper_log() ||
	    DH_KERNEL_0(__NR_getpid) != own_process)
		return;
	struct dh_self *t = dh_thread_self();
	dh_enter_runtime(t);
	dh_lock(&lock);
	if (!finished)
		dh_helper_connect();
	dh_unlock(&lock);
	dh_leave_runtime(t);
}

void dh_report_halt(void)
{
	uint64_t left = 1; /* where nobody can say, it counts */
	if (!dh_flags.halt || DH_KERNEL_0(__NR_getpid) != own_process)
		return;
	dh_report_flush(&left);
	if (!left)
		return;
	dh_report_finish();
	DH_KERNEL_1(__NR_exit_group, dh_flags.exit_code);
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

static void set_process(void)
{
	own_process = DH_KERNEL_0(__NR_getpid);
	dh_helper_init((uint64_t)own_process);
}

void dh_report_init(void)
{
	set_process();
	dh_channel_init();
	dh_debugger_init();
	dh_untracked_init();
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
		dh_helper_init((uint64_t)own_process);
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
		forked = true;
		dh_channel_close();
		set_process();
		dh_race_forget_total();
		dh_findings_forget();
		dh_evidence_forget();
	}
	dh_unlock(&lock);
}
