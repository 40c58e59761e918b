/* SPDX-License-Identifier: MIT */
/* Scenes with a filter: which accesses reached the recorder, and the filter's counts. */
#ifndef DH_TESTS_TREE_SCENE_H
#define DH_TESTS_TREE_SCENE_H

#include "scene.h"
#include "tree_kit.h"

#include <stdio.h>

static inline bool got(const struct scene *s, int index)
{
	return ((struct recorder *)s->engine)->got[index];
}

static inline void play_format(struct scene *s, const char *format, ...)
{
	char lines[512];
	va_list args;
	va_start(args, format);
	vsnprintf(lines, sizeof lines, format, args);
	va_end(args);
	scene_play(s, lines);
}

static inline void assert_counts(const struct scene *s, uint64_t seen, uint64_t intra,
				 uint64_t inter)
{
	assert_int_equal(scene_counter(s, "filter_seen"), seen);
	assert_int_equal(scene_counter(s, "intra_thread"), intra);
	assert_int_equal(scene_counter(s, "inter_thread"), inter);
	assert_int_equal(scene_counter(s, "filter_dropped"), intra + inter);
}

#endif
