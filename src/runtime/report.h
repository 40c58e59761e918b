/* SPDX-License-Identifier: MIT */
/*
 * From the facts of a race to a report: packs them for the helper process, which looks
 * up names and writes (channel.h, report/wire.h); where there is no helper, writes
 * addresses itself (plain.c). Also the end of the run: summary and exit status.
 *
 * Concurrency: any thread; one lock inside, held while the facts are sent. Allocates.
 * Only dh_report_finish() and dh_report_flush() wait for the helper, and not for ever.
 */
#ifndef DH_RUNTIME_REPORT_H
#define DH_RUNTIME_REPORT_H

#include "runtime/heap.h"
#include "runtime/text.h"
#include "runtime/thread.h"
#include "runtime/thread_locals.h"

/* One of the two accesses. */
struct dh_race_side {
	const struct dh_thread_info *thread; /* NULL: not known any more */
	uint32_t site;
	unsigned flags; /* enum dh_wire_access */
	uintptr_t address;
	unsigned size;
};

struct dh_lock_log_answer;

struct dh_race_facts {
	uint64_t serial;   /* of the finding, from 1 */
	unsigned grade;	   /* enum dh_wire_grade */
	uintptr_t address; /* of the first byte that both touched */
	unsigned size;
	struct dh_race_side second, first; /* the present access, the earlier one */
	uint32_t first_slot, first_clock;  /* when that was; slot 0: unknown */
	const struct dh_held *locks;	   /* that the present thread holds */
	uint32_t lock_count, locks_lost;   /* lost: it holds so many more */
	const struct dh_lock_log_answer *earlier; /* what the other held; NULL: unknown */
	bool in_heap;
	struct dh_heap_block block;		  /* where in_heap */
	const struct dh_thread_info *stack_owner; /* whose stack it is; or NULL */
	struct dh_thread_local local;		  /* whose thread-local variable, likewise */
	const char *label; /* what the program calls the memory; "" for nothing */
};

/* A counter of the summary. */
struct dh_report_counter {
	const char *name;
	uint64_t value;
	bool loss; /* something that the run should have seen and did not */
};

/* At start-up, after dh_flags_init(). Sees to it that the run's end is reported when the
 * program ends by exit() or a return from main, after all its own handlers. */
void dh_report_init(void);

enum dh_race_part {
	DH_RACE_NEW,	 /* a finding */
	DH_RACE_FURTHER, /* adds a place to a finding: it has that one's serial */
	DH_RACE_TOLD,	 /* the finding has both places */
};

/* Two places of which no race has been reported yet. Says what it is, gives it its serial
 * and tells, unless there is nothing to be told. The thread is `inside`. */
enum dh_race_part dh_report_race(struct dh_race_facts *f);

/* The end of the run: sends the summary and waits until the report is written. Returns
 * the status that the process is to end with in place of its own, or -1. Only the first
 * call in a process does anything; a vfork child's does nothing. For _exit and
 * quick_exit, which pass by the program's handlers; exit() is seen to. */
int dh_report_finish(void);

/* After a race was reported, with the option `halt`: ends the process, unless a
 * suppression or the baseline says that the race does not count. */
void dh_report_halt(void);

/* Waits until all that was found so far is written: before an exec, or a signal that
 * ends the process. *standing, where it is not NULL, gets how many of these races count; it
 * stays as it is where nobody tells. */
void dh_report_flush(uint64_t *standing);

/* For a program that closes whatever is open. Does the line to the helper have this
 * number? Then it is not the program's to close. */
bool dh_report_keeps(int fd);

/* The program is about to put a file of its own at this number: the line makes room. */
void dh_report_give_way(int fd);

/* The program is about to close this file. Where that is standard error and nobody has it
 * open for us yet, the helper is started while it can be: what is still to be told is
 * not lost, and goes into no file that is opened under that number next. Not in the child
 * of a fork, which closes it so that nobody waits for its end any more. */
void dh_report_closing(int fd);

/* The program wants its reports in files of this name, with a dot and the process id
 * behind it. Heeded where no option says otherwise, and no report was written yet. */
void dh_report_to(const char *path);

/* Around a fork, in the thread that forks. The child has no line to the parent's helper
 * and gets one of its own when it needs it; races of the parent are not its own. */
void dh_report_before_fork(void);
void dh_report_after_fork(bool child);

/* ---- for report.c ---- */

/* The counters of all parts of the runtime (counters.c). *room gets as many as fit in
 * max; returns how many. */
size_t dh_report_counters(struct dh_report_counter *room, size_t max);

/* The facts as a message (report_facts.c), and what the modules have to be known for:
 * done first, since modules are told before. */
void dh_facts_pack(const struct dh_race_facts *f, bool further);
void dh_facts_pack_lock(const struct dh_held *h);
void dh_facts_know_modules(const struct dh_race_facts *f);

/* What was seen of the race since (evidence.h). */
struct dh_evidence;
void dh_facts_pack_evidence(const struct dh_evidence *e);

/* The report without names (plain.c). */
void dh_plain_race(struct dh_text *to, const struct dh_race_facts *f, bool further);
void dh_plain_stack(struct dh_text *to, uint32_t site);
void dh_plain_end(struct dh_text *to, uint64_t distinct, uint64_t total);

#endif
