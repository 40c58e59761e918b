/* SPDX-License-Identifier: MIT */
/*
 * Random changes to traces, text, binary and recorded, the same in every run: bytes that
 * are others, left out, doubled, taken from another file, and ends cut off; most of the
 * time with lengths and check sums made right again. Each is drained as the fuzzers do it
 * (drain.h), and none may take long or much memory. For builds with sanitizers most of
 * all.
 *
 *   run_mutants FOLDER [COUNT [SEED]]     FOLDER: the corpus; COUNT files (1500)
 */
#include "blocks.h"
#include "drain.h"

#include "base/mem.h"
#include "record/replay.h"
#include "record/tape.h"
#include "runtime/observer.h"
#include "trace/format.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

enum { SECONDS = 30, KIBIBYTES = 1 << 20, CHANGES = 6 };

struct seeds dh_vec(struct dh_bytes);

static uint64_t dice;

static size_t any(size_t below)
{
	dice += 0x9e3779b97f4a7c15ull;
	return dh_mix(dice) % below;
}

/* ---- where it starts from ---- */

static void add_file(struct seeds *s, const char *path, bool binary)
{
	struct dh_bytes all = {0};
	uint8_t buffer[4096];
	size_t n;
	FILE *f = fopen(path, "rb");
	DH_CHECK(f != NULL);
	while ((n = fread(buffer, 1, sizeof buffer, f)) > 0)
		dh_bytes_put(&all, buffer, n);
	fclose(f);
	if (!binary) {
		dh_vec_push(s, all);
		return;
	}
	struct dh_bytes plain = blocks_unpack(all.at, all.len);
	dh_vec_push(s, plain);
	dh_vec_free(&all);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void add_folder(struct seeds *s, const char *corpus, const char *kind)
{
	char path[4096];
	struct dirent **names;
	snprintf(path, sizeof path, "%s/%s", corpus, kind);
	int count = scandir(path, &names, NULL, by_name);
	DH_CHECK(count > 0);
	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof path, "%s/%s/%s", corpus, kind, names[i]->d_name);
		if (names[i]->d_name[0] != '.')
			add_file(s, path, strcmp(kind, "binary") == 0);
		free(names[i]);
	}
	free(names);
}

/* One record of a program, of some kind. */
static size_t some_record(struct dh_raw r[4])
{
	uint64_t at = 0x10000 + any(64) * 8;
	switch (any(10)) {
	case 0:
		r[0] = (struct dh_raw){
		    dh_raw_head(DH_RAW_SYNC, (unsigned)any(DH_SEEN_KINDS), 0x400),
		    any(6)};
		return 1;
	case 1:
		r[0] = (struct dh_raw){
		    dh_raw_head(DH_RAW_ATOMIC, 4 | (unsigned)any(8) << 5, 0x410), at};
		return 1;
	case 2:
	case 3:
		r[0] = (struct dh_raw){
		    dh_raw_head((enum dh_raw_kind)(DH_RAW_ALLOC + any(3)), 0, 0x420), at};
		r[1] = (struct dh_raw){0, 8 + any(200)};
		return 2;
	case 4:
		r[0] = (struct dh_raw){dh_raw_head(DH_RAW_CALL, 0, 0x430), 0};
		r[1] = (struct dh_raw){1, 8};
		memcpy(&r[2], "function", 8);
		return 3;
	case 5:
		r[0] = (struct dh_raw){dh_raw_head(DH_RAW_REACH, 0, 0), 0};
		r[1] = (struct dh_raw){1, 16};
		r[2] = (struct dh_raw){at, any(300)};
		return 3;
	case 6:
		r[0] = (struct dh_raw){dh_raw_head(DH_RAW_RETURN, 0, 0x440), 0};
		return 1;
	default:
		r[0] = (struct dh_raw){
		    dh_raw_head(any(2) ? DH_RAW_READ : DH_RAW_WRITE, 8, 0x450 + any(4)),
		    at};
		return 1;
	}
}

static void add_recording(struct seeds *s)
{
	char path[] = "/tmp/deadheat-mutants-XXXXXX";
	struct dh_writer *w;
	struct dh_tape tape;
	int fd = mkstemp(path);
	DH_CHECK(fd >= 0 && dh_writer_open(&w, path, DH_TRACE_RECORDING) == 0);
	close(fd);
	dh_tape_init(&tape, w);
	for (int i = 0; i < 150; i++) {
		struct dh_raw r[4];
		size_t n = some_record(r);
		dh_tape_put(&tape, (uint32_t)any(4), r, n);
	}
	DH_CHECK(dh_tape_finish(&tape) == 0);
	dh_tape_free(&tape);
	dh_writer_close(w);
	add_file(s, path, true);
	unlink(path);
}

/* ---- changes ---- */

static uint8_t some_byte(void)
{
	static const uint8_t odd[] = {0, 1, 127, 128, 255, '\n', '|', '(', ':', '='};
	return any(2) ? odd[any(sizeof odd)] : (uint8_t)any(256);
}

/* [at, at + n) of one becomes [from, from + m) of the other. */
static void replace(struct dh_bytes *b, size_t at, size_t n, const uint8_t *by, size_t m)
{
	struct dh_bytes made = {0};
	dh_bytes_put(&made, b->at, at);
	dh_bytes_put(&made, by, m);
	dh_bytes_put(&made, b->at + at + n, b->len - at - n);
	dh_vec_free(b);
	*b = made;
}

static void change(struct dh_bytes *b, const struct seeds *s)
{
	const struct dh_bytes *other = &s->at[any(s->len)];
	size_t at = any(b->len + 1), n = any(DH_MIN(b->len - at, (size_t)40) + 1);
	size_t from = any(other->len + 1), some = any(60);
	uint8_t few[16];
	switch (any(6)) {
	case 0:
	case 1:
		for (size_t i = 0; i < sizeof few; i++)
			few[i] = some_byte();
		replace(b, at, DH_MIN(n, sizeof few), few, DH_MIN(n, sizeof few));
		break;
	case 2: /* a large number */
		memset(few, 0xff, sizeof few);
		few[9] = 1;
		replace(b, at, n, few + any(9), 1 + any(8));
		break;
	case 3:
		replace(b, at, n, NULL, 0);
		break;
	case 4:
		replace(b, at, any(2) ? n : 0, other->at + from,
			DH_MIN(other->len - from, some));
		break;
	case 5:
		if (any(4) == 0)
			b->len = at;
		break;
	}
}

/* ---- the whole ---- */

static void check_memory(uint64_t seed)
{
	struct rusage r;
	getrusage(RUSAGE_SELF, &r);
	if (r.ru_maxrss > KIBIBYTES) {
		printf("seed %" PRIu64 ": %ld KiB\n", seed, r.ru_maxrss);
		exit(1);
	}
}

/* Seconds of processor time until the process is ended; 0: any. */
static void allow(int seconds)
{
	struct itimerval limit = {.it_value.tv_sec = seconds};
	setitimer(ITIMER_PROF, &limit, NULL);
}

static uint64_t one(const struct seeds *s, uint64_t seed)
{
	struct dh_bytes b = {0};
	dice = seed * 1000003;
	const struct dh_bytes *base = &s->at[any(s->len)];
	dh_bytes_put(&b, base->at, base->len);
	for (size_t n = 1 + any(CHANGES); n > 0; n--)
		change(&b, s);
	if (base->len && base->at[0] == 0x89 && any(16))
		blocks_mend(b.at, b.len);
	uint8_t *exact = malloc(b.len + !b.len); /* for a sanitizer to see its edge */
	if (b.len)
		dh_copy(exact, b.at, b.len);
	printf("\rseed %" PRIu64 " ", seed); /* which a failure leaves to be seen */
	fflush(stdout);
	allow(SECONDS);
	uint64_t events = drain(exact, b.len);
	allow(0);
	check_memory(seed);
	free(exact);
	dh_vec_free(&b);
	return events;
}

int main(int argc, char **argv)
{
	uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 0) : 1500;
	uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 0) : 1, events = 0;
	struct seeds s = {0};
	if (argc < 2) {
		fprintf(stderr, "usage: run_mutants FOLDER [COUNT [SEED]]\n");
		return 2;
	}
	dh_reader_understand(&dh_replay);
	dh_replay_most = 1 << 20;
	add_folder(&s, argv[1], "text");
	add_folder(&s, argv[1], "binary");
	for (size_t i = 0, n = s.len / 2; i < n; i++)
		add_recording(&s);
	for (uint64_t i = 0; i < count; i++)
		events += one(&s, seed + i);
	printf("\r%" PRIu64 " files, %" PRIu64 " events\n", count, events);
	for (size_t i = 0; i < s.len; i++)
		dh_vec_free(&s.at[i]);
	dh_vec_free(&s);
	return events ? 0 : 1;
}
