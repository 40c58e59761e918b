/* SPDX-License-Identifier: MIT */
/*
 * First accesses per time frame, found by page faults (MultiRace, section 6) or by a
 * table in software (runtime/host/repeats.h): what an access costs either way.
 *
 * Views: one piece of memory is mapped three times, without access, read-only and
 * read-write. Memory is cut into units, and the program gets at a unit through a handle,
 * a pointer into one of the views. At the start of a frame all handles lead into the
 * first; an access faults, and the handler logs it and moves the handle, and the
 * registers that point there, into the view that allows it. Repeats cost nothing. The end
 * of a frame moves the handles back.
 *
 * Software: each access asks the table whether it is a repeat.
 *
 * usage: views [ACCESSES]     prints a table: nanoseconds for each access, by the size of
 * a unit and the number of accesses to it in a frame; then two kernels
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include "runtime/host/repeats.h"

enum { MEMORY = 16 << 20, LEAST_UNIT = 64, UNITS = MEMORY / LEAST_UNIT };
enum { NO_ACCESS, READ_ONLY, READ_WRITE, VIEWS };

uint32_t dh_marks[1 << DH_MARK_BITS];

static char *views[VIEWS];
static char *handles[UNITS];
static size_t unit_size;
static uint32_t opened[UNITS]; /* units whose handle has moved in this frame */
static size_t opened_count;
static uint64_t logged;

/* ---- views ---- */

static void move_registers(ucontext_t *context, const char *from, ptrdiff_t by)
{
	greg_t *regs = context->uc_mcontext.gregs;
	for (int r = 0; r <= REG_RIP; r++)
		if (r != REG_RSP && (char *)regs[r] >= from &&
		    (char *)regs[r] < from + MEMORY)
			regs[r] += by;
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	ucontext_t *c = context;
	char *at = info->si_addr;
	int view = at >= views[READ_ONLY] && at < views[READ_ONLY] + MEMORY ? READ_ONLY
									    : NO_ACCESS;
	if (at < views[view] || at >= views[view] + MEMORY)
		abort();
	size_t unit = (size_t)(at - views[view]) / unit_size;
	int next = c->uc_mcontext.gregs[REG_ERR] & 2 ? READ_WRITE : READ_ONLY;
	if (view == NO_ACCESS)
		opened[opened_count++] = (uint32_t)unit;
	logged++;
	handles[unit] = views[next] + unit * unit_size;
	move_registers(c, views[view], views[next] - views[view]);
}

static void end_frame(void)
{
	while (opened_count > 0) {
		size_t unit = opened[--opened_count];
		handles[unit] = views[NO_ACCESS] + unit * unit_size;
	}
}

static void set_up(void)
{
	static const int access[VIEWS] = {PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE};
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
	int fd = memfd_create("views", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, MEMORY))
		abort();
	for (int v = 0; v < VIEWS; v++) {
		views[v] = mmap(NULL, MEMORY, access[v], MAP_SHARED, fd, 0);
		if (views[v] == MAP_FAILED)
			abort();
	}
	memset(views[READ_WRITE], 0, MEMORY);
	sigaction(SIGSEGV, &action, NULL);
}

static void cut(size_t size)
{
	unit_size = size;
	opened_count = 0;
	for (size_t u = 0; u < MEMORY / size; u++)
		handles[u] = views[NO_ACCESS] + u * size;
}

/* ---- software ---- */

static struct dh_repeats table = {.frame = 1};

/* As an entry point of the runtime: a call for each access. */
static __attribute__((noinline)) void note_write(const void *p)
{
	uintptr_t addr = (uintptr_t)p, granule = addr & ~(uintptr_t)7;
	if (DH_LIKELY(dh_is_repeat(&table, granule, 0xff, true)))
		return;
	dh_repeat_note(&table, granule, 0xff, true, true);
	logged++;
}

/* ---- measuring ---- */

enum way { PLAIN, SOFTWARE, FAULTS, WAYS };

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* One access; the handle is loaded each time, as through a pointer in a data structure.
 */
static inline void access_once(enum way way, size_t unit, size_t offset)
{
	char *base = way == FAULTS ? *(char *volatile *)&handles[unit]
				   : views[READ_WRITE] + unit * unit_size;
	volatile uint64_t *p = (volatile uint64_t *)(base + offset);
	if (way == SOFTWARE)
		note_write((const void *)p);
	__asm__ volatile("addq $1, (%0)" : "+r"(p) : : "memory");
}

static inline void next_frame(enum way way)
{
	if (way == FAULTS)
		end_frame();
	else if (way == SOFTWARE)
		table.frame++;
}

/* Frames of so many accesses to one unit, words in turn, then the next unit. */
static inline double sweep(enum way way, size_t size, size_t each, size_t accesses)
{
	cut(size);
	size_t unit = 0, units = MEMORY / size;
	double start = now();
	for (size_t n = 0; n < accesses; n += each) {
		for (size_t i = 0; i < each; i++)
			access_once(way, unit, i * 8 % size);
		unit = unit + 1 == units ? 0 : unit + 1;
		next_frame(way);
	}
	return (now() - start) / (double)accesses;
}

/* Rows of a matrix, each a unit, three of them used for each word; a frame is a pass. */
static inline double relax(enum way way, size_t accesses)
{
	enum { ROW = 4096 };
	cut(ROW);
	size_t rows = 128, done = 0;
	double start = now();
	while (done < accesses) {
		for (size_t r = 1; r + 1 < rows; r++)
			for (size_t i = 0; i < ROW; i += 8, done += 3) {
				access_once(way, r - 1, i);
				access_once(way, r, i);
				access_once(way, r + 1, i);
			}
		next_frame(way);
	}
	return (now() - start) / (double)done;
}

/* A table under locks: a bucket at random, a few words of it, and the frame ends. */
static inline double buckets(enum way way, size_t accesses)
{
	cut(LEAST_UNIT);
	uint64_t random = 1;
	double start = now();
	for (size_t n = 0; n < accesses; n += 4) {
		random = random * 6364136223846793005ull + 1442695040888963407ull;
		size_t unit = (random >> 33) % UNITS;
		for (size_t i = 0; i < 4; i++)
			access_once(way, unit, i * 8);
		next_frame(way);
	}
	return (now() - start) / (double)accesses;
}

#define EACH_WAY(f, ...)                                                                 \
	(double[])                                                                       \
	{                                                                                \
		f(PLAIN, __VA_ARGS__), f(SOFTWARE, __VA_ARGS__), f(FAULTS, __VA_ARGS__)  \
	}

static void row(const char *name, size_t size, size_t each, const double *ns)
{
	printf("| %s | %zu | ", name, size);
	if (each)
		printf("%zu", each);
	printf(" | %.2f | %.2f | %.2f | %s |\n", ns[PLAIN], ns[SOFTWARE], ns[FAULTS],
	       ns[SOFTWARE] < ns[FAULTS] ? "software" : "faults");
}

int main(int argc, char **argv)
{
	static const size_t sizes[] = {64, 512, 4096};
	static const size_t each[] = {1, 10, 100, 1000, 10000, 100000};
	size_t accesses = argc > 1 ? strtoull(argv[1], NULL, 10) : 2000000;
	set_up();
	puts("| program | unit, bytes | accesses to a unit in a frame | plain, ns | "
	     "software, ns | faults, ns | cheaper |");
	puts("| --- | --- | --- | --- | --- | --- | --- |");
	for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
		for (size_t e = 0; e < sizeof each / sizeof *each; e++)
			row("sweep", sizes[s], each[e],
			    EACH_WAY(sweep, sizes[s], each[e], accesses));
	row("relaxation", 4096, 0, EACH_WAY(relax, accesses * 10));
	row("hash table", LEAST_UNIT, 0, EACH_WAY(buckets, accesses));
	fprintf(stderr, "%llu first accesses\n", (unsigned long long)logged);
	return 0;
}
