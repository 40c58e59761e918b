/* SPDX-License-Identifier: MIT */
/*
 * server_gen: writes a long trace like that of a server with a pool of threads, for
 * measurements of `deadheat predict`. Workers take requests from a queue under a lock,
 * work on sessions under their locks and on memory of their own, count in shared
 * statistics, read a configuration under a reader-writer lock, and hand results on by
 * messages. Reads and writes have the values of the run (or not: values=0).
 *
 * It is not free of races: a flag that is set without a lock, a field that is touched
 * after the unlock, a log line that everybody writes. Some were there in the run, some
 * are hidden by the order of its locks, and some only look like it.
 */
#include "base/mem.h"
#include "rng.h"
#include "trace/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	THREADS_MAX = 256,
	SCRIPT = 32,
	SESSIONS = 512,
	SESSION_LOCKS = 64,
	CONFIGS = 8,
	LOCALS = 32, /* variables of each thread's own */
	/* variables */
	V_HEAD = 0,
	V_TAIL,
	V_TOTAL,
	V_ERRORS,
	V_LOG,
	V_READY,
	V_CACHE,
	V_CONFIG,
	V_SESSION = V_CONFIG + CONFIGS,	   /* two each: balance and note */
	V_MAIL = V_SESSION + 2 * SESSIONS, /* two each: full or not, and the letter */
	V_LOCAL = V_MAIL + 2 * THREADS_MAX,
	/* locks */
	L_QUEUE = 0,
	L_STATS,
	L_CONFIG,
	L_CACHE,
	L_SESSION,
	L_MAIL = L_SESSION + SESSION_LOCKS,
	LOCKS = L_MAIL + THREADS_MAX,
};

struct script {
	uint32_t head, tail;
	struct dh_event steps[SCRIPT];
};

struct server {
	struct rng rng;
	uint32_t threads;
	bool values;
	struct script scripts[THREADS_MAX];
	int64_t *memory;
	uint32_t writer[LOCKS]; /* thread + 1 */
	uint32_t readers[LOCKS];
};

/* ---- what a thread does ---- */

static void put(struct server *s, uint32_t t, enum dh_op op, uint32_t target,
		uint32_t site)
{
	struct script *q = &s->scripts[t];
	q->steps[q->tail++] = (struct dh_event){
	    .thread = t, .op = (uint8_t)op, .target = target, .site = site};
}

static void bump(struct server *s, uint32_t t, uint32_t var, uint32_t site)
{
	put(s, t, DH_READ, var, site);
	put(s, t, DH_WRITE, var, site + 1);
}

static void local_work(struct server *s, uint32_t t)
{
	for (uint32_t n = rng_range(&s->rng, 2, 6); n > 0; n--)
		bump(s, t, V_LOCAL + t * LOCALS + rng_below(&s->rng, LOCALS), 10);
}

static void session_work(struct server *s, uint32_t t)
{
	uint32_t k = rng_below(&s->rng, SESSIONS), lock = L_SESSION + k % SESSION_LOCKS;
	put(s, t, DH_ACQUIRE, lock, 20);
	bump(s, t, V_SESSION + 2 * k, 21);
	if (rng_percent(&s->rng, 30))
		put(s, t, DH_WRITE, V_SESSION + 2 * k + 1, 23);
	put(s, t, DH_RELEASE, lock, 24);
	if (rng_percent(&s->rng, 2)) /* too late */
		put(s, t, DH_WRITE, V_SESSION + 2 * k + 1, 25);
}

static void queue_work(struct server *s, uint32_t t)
{
	put(s, t, DH_ACQUIRE, L_QUEUE, 30);
	bump(s, t, t ? V_HEAD : V_TAIL, t ? 31 : 33);
	put(s, t, DH_RELEASE, L_QUEUE, 35);
}

static void stats_work(struct server *s, uint32_t t)
{
	put(s, t, DH_ACQUIRE, L_STATS, 40);
	bump(s, t, V_TOTAL, 41);
	if (rng_percent(&s->rng, 10))
		bump(s, t, V_ERRORS, 43);
	put(s, t, DH_RELEASE, L_STATS, 45);
	if (rng_percent(&s->rng, 1))
		put(s, t, DH_WRITE, V_LOG, 46);
}

static void config_work(struct server *s, uint32_t t)
{
	uint32_t c = V_CONFIG + rng_below(&s->rng, CONFIGS);
	if (t == 0 && rng_percent(&s->rng, 20)) {
		put(s, t, DH_ACQUIRE, L_CONFIG, 50);
		put(s, t, DH_WRITE, c, 51);
		put(s, t, DH_RELEASE, L_CONFIG, 52);
		return;
	}
	put(s, t, DH_READ_ACQUIRE, L_CONFIG, 53);
	put(s, t, DH_READ, c, 54);
	put(s, t, DH_READ_RELEASE, L_CONFIG, 55);
}

/* Checked once without the lock, and again under it. */
static void cache_work(struct server *s, uint32_t t)
{
	put(s, t, DH_READ, V_READY, 60);
	if (rng_percent(&s->rng, 20)) {
		put(s, t, DH_ACQUIRE, L_CACHE, 61);
		put(s, t, DH_READ, V_READY, 62);
		put(s, t, DH_WRITE, V_CACHE, 63);
		put(s, t, DH_WRITE, V_READY, 64);
		put(s, t, DH_RELEASE, L_CACHE, 65);
	}
	put(s, t, DH_READ, V_CACHE, 66);
}

/* A mailbox between two threads, with a flag under a lock: the letter itself is touched
 * without it, by the one whose turn it is. */
static void mail_work(struct server *s, uint32_t t)
{
	uint32_t box = t / 2, lock = L_MAIL + box, full = V_MAIL + 2 * box;
	bool mine = s->memory[full] == (t % 2 == 1);
	uint32_t site = 80 + 10 * (t % 2);
	put(s, t, DH_ACQUIRE, lock, site);
	put(s, t, DH_READ, full, site + 1);
	put(s, t, DH_RELEASE, lock, site + 2);
	if (!mine)
		return;
	put(s, t, t % 2 ? DH_READ : DH_WRITE, full + 1, site + 3);
	put(s, t, DH_ACQUIRE, lock, site + 4);
	put(s, t, DH_WRITE, full, site + 5);
	put(s, t, DH_RELEASE, lock, site + 6);
}

static void message_work(struct server *s, uint32_t t)
{
	uint32_t to = rng_below(&s->rng, s->threads);
	put(s, t, DH_SEND, to, 70);
	put(s, t, DH_RECEIVE, t, 71);
}

static void think(struct server *s, uint32_t t)
{
	uint32_t dice = rng_below(&s->rng, 100);
	s->scripts[t].head = s->scripts[t].tail = 0;
	if (dice < 30)
		local_work(s, t);
	else if (dice < 60)
		session_work(s, t);
	else if (dice < 75)
		queue_work(s, t);
	else if (dice < 87)
		stats_work(s, t);
	else if (dice < 95)
		config_work(s, t);
	else if (dice < 96)
		cache_work(s, t);
	else if (dice < 98)
		mail_work(s, t);
	else
		message_work(s, t);
}

/* ---- a run ---- */

static bool blocked(const struct server *s, const struct dh_event *ev)
{
	if (ev->op == DH_ACQUIRE)
		return s->writer[ev->target] || s->readers[ev->target];
	return ev->op == DH_READ_ACQUIRE && s->writer[ev->target];
}

static void take(struct server *s, struct dh_event *ev)
{
	switch (ev->op) {
	case DH_ACQUIRE:
		s->writer[ev->target] = ev->thread + 1;
		break;
	case DH_RELEASE:
		s->writer[ev->target] = 0;
		break;
	case DH_READ_ACQUIRE:
		s->readers[ev->target]++;
		break;
	case DH_READ_RELEASE:
		s->readers[ev->target]--;
		break;
	case DH_WRITE:
		if (ev->target == V_READY)
			s->memory[ev->target] = 1;
		else if (ev->target >= V_MAIL && ev->target < V_LOCAL &&
			 ev->target % 2 == V_MAIL % 2)
			s->memory[ev->target] ^= 1;
		else
			s->memory[ev->target]++;
		break;
	}
	if (s->values && ev->op <= DH_WRITE) {
		ev->has_value = true;
		ev->value = s->memory[ev->target];
	}
}

static int run(struct server *s, uint64_t events, struct dh_writer *out,
	       const struct dh_names *names)
{
	uint64_t index = 0;
	uint32_t t = 0;
	int status = 0;
	for (; index < s->threads - 1 && !status; index++) {
		struct dh_event ev = {
		    .op = DH_FORK, .target = (uint32_t)index + 1, .site = 1};
		status = dh_writer_put(out, names, &ev);
	}
	while (index < events && !status) {
		if (rng_percent(&s->rng, 20))
			t = rng_below(&s->rng, s->threads);
		struct script *q = &s->scripts[t];
		if (q->head == q->tail)
			think(s, t);
		struct dh_event *ev = &q->steps[q->head];
		if (blocked(s, ev)) {
			t = rng_below(&s->rng, s->threads);
			continue;
		}
		take(s, ev);
		q->head++;
		ev->index = index++;
		status = dh_writer_put(out, names, ev);
	}
	return status;
}

/* ---- names ---- */

static void add_names(struct dh_names *n, enum dh_name_kind kind, const char *prefix,
		      uint32_t count)
{
	char text[32];
	uint32_t first = kind == DH_NAME_SITE; /* site 0 is there, and is none */
	for (uint32_t i = first; i < count + first; i++) {
		int len = snprintf(text, sizeof text, "%s%u", prefix, i);
		dh_names_intern(n, kind, text, (size_t)len);
	}
}

static struct dh_names *make_names(const struct server *s)
{
	struct dh_names *n = dh_names_new();
	add_names(n, DH_NAME_THREAD, "T", s->threads);
	add_names(n, DH_NAME_VAR, "x", V_LOCAL + LOCALS * s->threads);
	add_names(n, DH_NAME_LOCK, "l", LOCKS);
	add_names(n, DH_NAME_MESSAGE, "m", s->threads);
	add_names(n, DH_NAME_SITE, "server.c:", 99);
	return n;
}

static uint64_t option(int argc, char **argv, const char *name, uint64_t usual)
{
	size_t len = strlen(name);
	for (int i = 1; i < argc - 1; i++)
		if (strncmp(argv[i], name, len) == 0 && argv[i][len] == '=')
			return strtoull(argv[i] + len + 1, NULL, 0);
	return usual;
}

int main(int argc, char **argv)
{
	static struct server s;
	if (argc < 2 || argv[argc - 1][0] == '-') {
		fputs("usage: server_gen [events=N] [threads=N] [seed=N] [values=0|1] "
		      "FILE\n",
		      stderr);
		return 2;
	}
	s.rng.state = option(argc, argv, "seed", 1);
	s.threads = (uint32_t)option(argc, argv, "threads", 16);
	s.values = option(argc, argv, "values", 1);
	if (s.threads < 2 || s.threads > THREADS_MAX) {
		fprintf(stderr, "server_gen: threads: from 2 to %d\n", THREADS_MAX);
		return 2;
	}
	size_t bytes = (V_LOCAL + LOCALS * s.threads) * sizeof *s.memory;
	s.memory = dh_mem_alloc(bytes);
	struct dh_names *names = make_names(&s);
	struct dh_writer *out;
	int status = dh_writer_open(&out, argv[argc - 1], DH_TRACE_BINARY);
	if (!status)
		status = run(&s, option(argc, argv, "events", 1000000), out, names);
	if (!status)
		status = dh_writer_finish(out);
	if (status)
		fprintf(stderr, "server_gen: %s\n", dh_writer_error(out));
	dh_writer_close(out);
	dh_names_free(names);
	dh_mem_free(s.memory, bytes);
	return status ? 1 : 0;
}
