/* SPDX-License-Identifier: MIT */
/* See helper.h. */
#include "runtime/helper.h"
#include "base/kernel.h"
#include "runtime/channel.h"
#include "runtime/findings.h"
#include "runtime/flags.h"
#include "runtime/hooks.h"
#include "runtime/message.h"
#include "runtime/modules.h"
#include "runtime/observer.h"

uint64_t dh_helper_races;
static uint32_t modules_told; /* modules that the helper knows */
static struct dh_vec(uint8_t) gone_told;
static uint64_t own_process;
static struct dh_text log_path, json_path, suppressions, baseline;

static bool tell_hello(void)
{
	uint64_t flags = (dh_flags.quiet ? DH_HELLO_QUIET : 0) |
			 (dh_flags.verbose ? DH_HELLO_VERBOSE : 0) |
			 (dh_flags.stats ? DH_HELLO_STATS : 0) |
			 (dh_flags.suggest_suppressions ? DH_HELLO_SUGGEST : 0) |
			 (dh_flags.fail_on == DH_FAIL_ON_POTENTIAL ? DH_HELLO_POTENTIAL
								   : 0) |
			 (dh_findings_by_variable() ? DH_HELLO_NUMBERS : 0) |
			 (dh_flags.colour == DH_COLOUR_ALWAYS ? DH_HELLO_COLOUR : 0) |
			 (dh_flags.colour == DH_COLOUR_NEVER ? DH_HELLO_PLAIN : 0);
	dh_message_begin(DH_WIRE_HELLO);
	dh_message_word(DH_WIRE_VERSION);
	dh_message_word(own_process);
	dh_message_word(flags);
	dh_message_text(dh_text_c(&log_path));
	dh_message_text(dh_text_c(&json_path));
	dh_message_text(dh_text_c(&suppressions));
	dh_message_text(dh_hook_suppressions());
	dh_message_text(dh_text_c(&baseline));
	dh_message_text(dh_observer ? dh_observer->name : "fasttrack");
	dh_helper_races = 0;
	modules_told = 0;
	gone_told.len = 0;
	return dh_message_send();
}

static bool tell_module(const struct dh_module *m)
{
	dh_message_begin(DH_WIRE_MODULE);
	dh_message_word(m->number);
	dh_message_text(m->path);
	dh_message_word(m->segments.len);
	for (size_t i = 0; i < m->segments.len; i++) {
		dh_message_word(m->segments.at[i].start);
		dh_message_word(m->segments.at[i].end);
		dh_message_word(m->segments.at[i].offset);
		dh_message_word(m->segments.at[i].executable);
	}
	return dh_message_send();
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
		dh_message_begin(DH_WIRE_GONE);
		dh_message_word(i);
		good = dh_message_send();
	}
	return good;
}

bool dh_helper_connect(void)
{
	bool fresh;
	if (!dh_channel_open(&fresh))
		return false;
	return (!fresh || tell_hello()) && tell_modules();
}

/* ---- files ---- */

void dh_helper_expand(struct dh_text *to, const char *path, uint64_t process)
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
			dh_text_number(to, process);
			path++;
		} else {
			dh_text_bytes(to, path, 1);
		}
	}
}

void dh_helper_init(uint64_t process)
{
	own_process = process;
	dh_helper_expand(&log_path, dh_flags.log, process);
	dh_helper_expand(&json_path, dh_flags.json, process);
	dh_helper_expand(&suppressions, dh_flags.suppressions, process);
	dh_helper_expand(&baseline, dh_flags.baseline, process);
}

const char *dh_helper_log(void)
{
	return dh_text_c(&log_path);
}

const char *dh_helper_json(void)
{
	return dh_text_c(&json_path);
}
