/* SPDX-License-Identifier: MIT */
/*
 * A scene plays a few lines of a trace to one engine (and perhaps a filter) and
 * keeps what was reported, for tests that walk through a figure of a paper.
 *
 *   struct scene s;
 *   scene_open(&s, &dh_engine_fasttrack, NULL);
 *   scene_play(&s, "T1|w(x)|a\n"
 *                  "T2|w(x)|b\n");
 *   assert_int_equal(s.race_count, 1);
 *   assert_true(scene_has(&s, "x", 0, 1));   // variable, first index, second index
 *   scene_close(&s);
 *
 * The lines are those of the text trace format (spaces at their start are passed
 * over), read by a parser of the scene's own; a bad line fails the test. Numbers
 * are given to names in the order of their first appearance, from 0; sites from 1.
 */
#ifndef DH_TESTS_SCENE_H
#define DH_TESTS_SCENE_H

#include "event/stream.h"

enum { SCENE_NAMES = 512, SCENE_RACES = 256 };

struct scene {
	struct dh_stream *stream;
	struct dh_engine *engine;
	struct dh_filter *filter;
	char *names[DH_NAME_KINDS][SCENE_NAMES];
	uint32_t name_count[DH_NAME_KINDS];
	uint64_t index; /* of the next event */
	struct dh_race races[SCENE_RACES];
	unsigned race_count;
	bool forwarded[1024]; /* by event index: accesses that reached the engine;
				 kept where the engine is "print" */
};

/* Engine by its ops; filter may be NULL. object_level as in the stream's config. */
void scene_open(struct scene *s, const struct dh_engine_ops *engine,
		const struct dh_filter_ops *filter);
void scene_open_config(struct scene *s, const struct dh_engine_ops *engine,
		       const struct dh_filter_ops *filter,
		       const struct dh_stream_config *config);
void scene_close(struct scene *s);

void scene_play(struct scene *s, const char *lines);

/* The number of a name, which must have appeared. */
uint32_t scene_number(const struct scene *s, enum dh_name_kind kind, const char *name);

/* The engine's cell of a variable. */
void *scene_cell(struct scene *s, const char *var);

/* The thread of a name. */
struct dh_thread *scene_thread(const struct scene *s, const char *name);

/* Was this pair of event indices reported on this variable? first may be -1 for
 * any, also none. */
bool scene_has(const struct scene *s, const char *var, int first, int second);

/* Was anything reported on this variable? */
bool scene_racy(const struct scene *s, const char *var);

/* A counter of the engine, or of the filter where the engine has none of that name. */
uint64_t scene_counter(const struct scene *s, const char *name);

#endif
