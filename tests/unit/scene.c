/* SPDX-License-Identifier: MIT */
/* The scene of scene.h. */
#include "scene.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void on_race(void *context, struct dh_engine *e, const struct dh_race *race)
{
	(void)e;
	struct scene *s = context;
	assert_true(s->race_count < SCENE_RACES);
	s->races[s->race_count++] = *race;
}

static void on_event(void *context, const struct dh_event *ev)
{
	struct scene *s = context;
	if (ev->index < DH_ARRAY_LEN(s->forwarded))
		s->forwarded[ev->index] = true;
}

void scene_open_config(struct scene *s, const struct dh_engine_ops *engine,
		       const struct dh_filter_ops *filter,
		       const struct dh_stream_config *config)
{
	memset(s, 0, sizeof *s);
	struct dh_stream_config c = *config;
	c.on_race = on_race;
	c.on_event = on_event;
	c.context = s;
	s->stream = dh_stream_new(&c);
	s->engine = dh_stream_add(s->stream, engine);
	if (filter)
		s->filter = dh_stream_set_filter(s->stream, filter);
	s->name_count[DH_NAME_SITE] = 1; /* site 0 is "none" */
}

void scene_open(struct scene *s, const struct dh_engine_ops *engine,
		const struct dh_filter_ops *filter)
{
	scene_open_config(s, engine, filter, &(struct dh_stream_config){0});
}

void scene_close(struct scene *s)
{
	dh_stream_free(s->stream);
	for (int k = 0; k < DH_NAME_KINDS; k++)
		for (uint32_t i = 0; i < s->name_count[k]; i++)
			free(s->names[k][i]);
}

static int find(const struct scene *s, enum dh_name_kind kind, const char *name)
{
	for (uint32_t i = 0; i < s->name_count[kind]; i++)
		if (s->names[kind][i] && strcmp(s->names[kind][i], name) == 0)
			return (int)i;
	return -1;
}

static uint32_t intern(struct scene *s, enum dh_name_kind kind, const char *name)
{
	int at = find(s, kind, name);
	if (at >= 0)
		return (uint32_t)at;
	assert_true(s->name_count[kind] < SCENE_NAMES);
	s->names[kind][s->name_count[kind]] = strdup(name);
	return s->name_count[kind]++;
}

/* A variable `obj.field` belongs to the object `obj`; objects share the numbering
 * of variables here, offset so that they cannot meet. */
static void group(struct scene *s, const char *name, uint32_t var)
{
	char object[64];
	const char *dot = strrchr(name, '.');
	if (!dot)
		return;
	snprintf(object, sizeof object, "%.*s", (int)(dot - name), name);
	dh_stream_set_object(s->stream, var, SCENE_NAMES + intern(s, DH_NAME_METHOD, object));
}

static int op_of(const char *text)
{
	for (int op = 0; op < DH_OP_COUNT; op++)
		if (strcmp(dh_op_text(op), text) == 0)
			return op;
	return -1;
}

static void play_line(struct scene *s, const char *line)
{
	char thread[64], op[16], arg[64], site[64] = "";
	int got = sscanf(line, " %63[^|]|%15[^(](%63[^)])|%63[^\n]", thread, op, arg, site);
	if (got < 3 || op_of(op) < 0)
		fail_msg("bad line in a scene: %s", line);
	struct dh_event ev = {.index = s->index++, .op = (uint8_t)op_of(op)};
	ev.thread = intern(s, DH_NAME_THREAD, thread);
	ev.target = intern(s, dh_op_kind(ev.op), arg);
	ev.site = site[0] ? intern(s, DH_NAME_SITE, site) : DH_SITE_NONE;
	if (dh_op_kind(ev.op) == DH_NAME_VAR)
		group(s, arg, ev.target);
	dh_stream_feed(s->stream, &ev);
}

void scene_play(struct scene *s, const char *lines)
{
	while (*lines) {
		char line[256];
		size_t n = strcspn(lines, "\n");
		snprintf(line, sizeof line, "%.*s", (int)n, lines);
		if (line[strspn(line, " \t")])
			play_line(s, line);
		lines += n + (lines[n] == '\n');
	}
}

uint32_t scene_number(const struct scene *s, enum dh_name_kind kind, const char *name)
{
	int at = find(s, kind, name);
	if (at < 0)
		fail_msg("no such name in the scene: %s", name);
	return (uint32_t)at;
}

void *scene_cell(struct scene *s, const char *var)
{
	return dh_cells_get(&s->engine->cells, scene_number(s, DH_NAME_VAR, var));
}

struct dh_thread *scene_thread(const struct scene *s, const char *name)
{
	return dh_stream_thread(s->stream, scene_number(s, DH_NAME_THREAD, name));
}

bool scene_has(const struct scene *s, const char *var, int first, int second)
{
	uint32_t v = scene_number(s, DH_NAME_VAR, var);
	for (unsigned i = 0; i < s->race_count; i++) {
		const struct dh_race *r = &s->races[i];
		if (r->var != v || r->second.index != (uint64_t)second)
			continue;
		if (first < 0 || (r->has_first && r->first.index == (uint64_t)first))
			return true;
	}
	return false;
}

bool scene_racy(const struct scene *s, const char *var)
{
	uint32_t v = scene_number(s, DH_NAME_VAR, var);
	for (unsigned i = 0; i < s->race_count; i++)
		if (s->races[i].var == v)
			return true;
	return false;
}

uint64_t scene_counter(const struct scene *s, const char *name)
{
	const struct dh_counter *c = s->engine->ops->counters;
	for (; c && c->name; c++)
		if (strcmp(c->name, name) == 0)
			return dh_counter_value(s->engine, s->engine->ops->counters, name);
	return s->filter ? dh_counter_value(s->filter, s->filter->ops->counters, name) : 0;
}
