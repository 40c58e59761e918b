/* SPDX-License-Identifier: MIT */
/*
 * `deadheat symbolize`: the helper process of a watched program. Started by the runtime
 * with a socket as file 3, never by hand; reads messages (report/wire.h) until the
 * program is done or gone, and writes the report.
 */
#define _GNU_SOURCE
#include "cli/cmd.h"
#include "cli/standing.h"
#include "report/live.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { LINE = 3, LONGEST = 1 << 30 };

struct helper {
	struct dh_symbols *symbols;
	struct dh_live_hello hello;
	struct dh_live_style style;
	FILE *log, *json; /* NULL: none */
	struct dh_live_groups groups;
	struct dh_live_findings findings; /* where further accesses may come */
	struct dh_standing *standing;
	uint64_t races;
	bool greeted, over;
};

/* ---- files ---- */

static FILE *open_append(const char *path)
{
	FILE *f = fopen(path, "ae");
	if (!f)
		fprintf(stderr, "deadheat: cannot write %s: %s\n", path, strerror(errno));
	return f;
}

static bool wants_colour(const struct helper *h)
{
	if (h->hello.flags & (DH_HELLO_COLOUR | DH_HELLO_PLAIN))
		return h->hello.flags & DH_HELLO_COLOUR;
	const char *term = getenv("TERM"), *no = getenv("NO_COLOR");
	return isatty(fileno(h->log)) && term && *term && strcmp(term, "dumb") != 0 &&
	       !(no && *no);
}

/* A report is put together in memory and written at once, so that those of several
 * processes that share a file or a terminal do not mix. */
struct page {
	FILE *to; /* NULL where there is no memory */
	char *text;
	size_t len;
};

static void page_open(struct page *p)
{
	*p = (struct page){0};
	p->to = open_memstream(&p->text, &p->len);
}

/* False where it cannot be written; errno tells why. */
static bool page_write(const struct page *p, FILE *to)
{
	for (size_t done = 0; done < p->len;) {
		ssize_t n = write(fileno(to), p->text + done, p->len - done);
		if (n < 0 && errno != EINTR)
			return false;
		done += n > 0 ? (size_t)n : 0;
	}
	return true;
}

/* Where the disk is full the text goes on to standard error. */
static void page_to_log(struct page *p, struct helper *h)
{
	if (!p->to)
		return;
	fclose(p->to);
	if (!page_write(p, h->log) && h->log != stderr) {
		fprintf(stderr,
			"deadheat: cannot write %s: %s; the report goes on here\n",
			h->hello.log, strerror(errno));
		fclose(h->log);
		h->log = stderr;
		h->style.colour = wants_colour(h);
		page_write(p, h->log);
	}
	free(p->text);
}

static void page_to_json(struct page *p, struct helper *h)
{
	if (!p->to)
		return;
	fclose(p->to);
	if (!page_write(p, h->json)) {
		fprintf(stderr, "deadheat: cannot write %s: %s; it is not complete\n",
			h->hello.json, strerror(errno));
		fclose(h->json);
		h->json = NULL;
	}
	free(p->text);
}

static bool greet(struct helper *h, struct dh_live_input *in)
{
	if (h->greeted || !dh_live_read_hello(in, &h->hello))
		return false;
	h->greeted = true;
	uint64_t flags = h->hello.flags;
	h->standing = dh_standing_new(&h->hello);
	if (*h->hello.log && !(flags & DH_HELLO_QUIET))
		h->log = open_append(h->hello.log);
	if (!h->log && !(flags & DH_HELLO_QUIET))
		h->log = stderr;
	h->style = (struct dh_live_style){
	    .colour = h->log && wants_colour(h),
	    .verbose = flags & DH_HELLO_VERBOSE,
	    .stats = flags & DH_HELLO_STATS,
	    .numbers = flags & DH_HELLO_NUMBERS,
	    .folder = getcwd(NULL, 0),
	};
	if (*h->hello.json)
		h->json = open_append(h->hello.json);
	if (h->json) {
		struct page p;
		page_open(&p);
		if (p.to)
			dh_live_json_start(&h->hello, p.to);
		page_to_json(&p, h);
	}
	return true;
}

/* ---- what is written ---- */

/* The text of a race; further: the sides that are new to a finding which was shown, else
 * 0. */
static void show(struct helper *h, const struct dh_live_race *r, unsigned further)
{
	struct page p;
	page_open(&p);
	if (p.to && further)
		dh_live_text_further(r, further, &h->style, p.to);
	else if (p.to)
		dh_live_text_race(r, &h->style, p.to);
	page_to_log(&p, h);
}

/* Shows a race as a whole if that is worth it. */
static bool show_whole(struct helper *h, const struct dh_live_race *r)
{
	bool worth = h->log && (dh_live_groups_worth(&h->groups, r) || h->style.verbose);
	if (worth)
		show(h, r, 0);
	return worth;
}

/* A finding, or what was to add to one that does not stand. */
static void begin(struct helper *h, const struct dh_live_race *r, bool stands)
{
	bool shown = stands && show_whole(h, r);
	if (!h->style.numbers)
		return;
	struct dh_live_finding *f = dh_live_findings_begin(&h->findings, r, &h->style);
	f->stands = stands;
	f->shown = shown;
}

/* Adds to a finding that stands. */
static void extend(struct helper *h, struct dh_live_finding *f,
		   const struct dh_live_race *r)
{
	enum { MOST = 3 }; /* shown at the time */
	unsigned sides = dh_live_findings_add(f, r, &h->style);
	if (!sides || !h->log)
		return;
	if (!f->shown) {
		f->shown = show_whole(h, r);
	} else if (f->further < MOST || h->style.verbose) {
		f->further++;
		show(h, r, sides);
	} else {
		h->findings.left_out++;
	}
}

static void judge(struct helper *h, struct dh_live_race *r, bool further)
{
	struct dh_live_finding *f =
	    further ? dh_live_findings_find(&h->findings, r->serial) : NULL;
	bool adds = f && f->stands && f->grade <= r->grade; /* and is not surer */
	bool stands = adds ? dh_standing_judge_further(h->standing, &h->hello, r)
			   : dh_standing_judge(h->standing, &h->hello, r, further);
	if (!adds && (stands || !f))
		begin(h, r, stands);
	else if (adds && stands)
		extend(h, f, r);
}

static bool race(struct helper *h, struct dh_live_input *in, bool further)
{
	struct dh_live_race r;
	struct page p;
	bool good = dh_live_read_race(in, h->symbols, &r);
	if (good)
		judge(h, &r, further);
	if (good && h->json) {
		page_open(&p);
		if (p.to)
			dh_live_json_race(&h->hello, &r, further, p.to);
		page_to_json(&p, h);
	}
	h->races += good && !further;
	dh_live_free_race(&r);
	return good;
}

static bool evidence(struct helper *h, struct dh_live_input *in)
{
	struct dh_live_evidence e;
	struct page p;
	bool good = dh_live_read_evidence(in, h->symbols, &e);
	if (good && h->json) {
		page_open(&p);
		if (p.to)
			dh_live_json_evidence(&h->hello, &e, p.to);
		page_to_json(&p, h);
	}
	dh_live_free_evidence(&e);
	return good;
}

static void write_end(struct helper *h, struct dh_live_end *e)
{
	struct page p;
	e->left_out = h->style.verbose ? 0 : h->groups.left_out;
	e->findings = &h->findings;
	dh_standing_end(h->standing, e);
	if (h->log) {
		page_open(&p);
		if (p.to)
			dh_live_text_end(e, h->symbols, &h->style, p.to);
		page_to_log(&p, h);
	}
	if (h->json) {
		page_open(&p);
		if (p.to)
			dh_live_json_end(&h->hello, e, h->symbols, p.to);
		page_to_json(&p, h);
	}
}

static void acknowledge(const struct helper *h)
{
	uint64_t left = h->standing ? dh_standing_count(h->standing) : 0;
	while (write(LINE, &left, sizeof left) < 0 && errno == EINTR)
		;
}

static bool end(struct helper *h, struct dh_live_input *in)
{
	struct dh_live_end e;
	bool good = dh_live_read_end(in, &e);
	if (good) {
		write_end(h, &e);
		h->over = true;
		acknowledge(h);
	}
	dh_live_free_end(&e);
	return good;
}

/* ---- messages ---- */

static bool read_all(void *to, size_t n)
{
	char *at = to;
	while (n > 0) {
		ssize_t got = read(LINE, at, n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		at += got;
		n -= (size_t)got;
	}
	return true;
}

static bool handle(struct helper *h, uint64_t kind, struct dh_live_input *in)
{
	switch (kind) {
	case DH_WIRE_HELLO:
		return greet(h, in);
	case DH_WIRE_MODULE:
		return dh_live_read_module(in, h->symbols);
	case DH_WIRE_GONE:
		dh_symbols_gone(h->symbols, (uint32_t)dh_live_read_word(in));
		return !in->bad;
	case DH_WIRE_RACE:
	case DH_WIRE_FURTHER:
		return h->greeted && race(h, in, kind == DH_WIRE_FURTHER);
	case DH_WIRE_EVIDENCE:
		return h->greeted && evidence(h, in);
	case DH_WIRE_END:
		return h->greeted && end(h, in);
	case DH_WIRE_FLUSH:
		acknowledge(h);
		return true;
	default:
		return false;
	}
}

/* One message. False at the end. */
static bool next(struct helper *h, int *status)
{
	uint64_t head[2];
	if (!read_all(head, sizeof head))
		return false;
	char *payload = head[1] <= LONGEST ? malloc(head[1] + 1) : NULL;
	struct dh_live_input in = {.at = payload, .left = head[1]};
	bool good = payload && read_all(payload, head[1]);
	if (good && !handle(h, head[0], &in)) {
		fputs("deadheat: the helper does not understand the runtime: are they of "
		      "the "
		      "same version?\n",
		      stderr);
		*status = DH_EXIT_FAILED;
		good = false;
	}
	free(payload);
	return good && !h->over;
}

static void tidy_up(struct helper *h)
{
	if (h->log && h->log != stderr)
		fclose(h->log);
	if (h->json)
		fclose(h->json);
	free(h->style.folder);
	dh_live_free_hello(&h->hello);
	dh_live_groups_free(&h->groups);
	dh_live_findings_free(&h->findings);
	dh_standing_free(h->standing);
	dh_symbols_free(h->symbols);
}

static void *serve(void *exit_status)
{
	int *status = exit_status;
	struct helper h = {.symbols = dh_symbols_new()};
	while (next(&h, status))
		;
	if (h.greeted && !h.over && h.races && !*status) {
		struct dh_live_end e = {.distinct = h.races, .total = h.races};
		write_end(&h, &e);
		dh_live_free_end(&e);
	}
	tidy_up(&h);
	return NULL;
}

/* The limits are the watched program's; libdw wants a stack of the usual size. */
static bool serve_on_a_stack_of(size_t size, int *status)
{
	struct rlimit limit;
	pthread_attr_t a;
	pthread_t t;
	if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= size ||
	    pthread_attr_init(&a) != 0 || pthread_attr_setstacksize(&a, size) != 0 ||
	    pthread_create(&t, &a, serve, status) != 0)
		return false;
	pthread_join(t, NULL);
	return true;
}

int dh_cmd_symbolize(int argc, char **argv)
{
	enum { STACK = 8 << 20 };
	(void)argc;
	(void)argv;
	int status = DH_EXIT_OK;
	if (read(LINE, NULL, 0) < 0) {
		fputs("deadheat: `symbolize` is for the runtime's own use\n", stderr);
		return DH_EXIT_USAGE;
	}
	signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is like a full disk */
	if (!serve_on_a_stack_of(STACK, &status))
		serve(&status);
	return status;
}
