/* SPDX-License-Identifier: MIT */
/* Setting the options at start-up; see flags.h. */
#include "base/sys.h"
#include "runtime/environment.h"
#include "runtime/flags.h"
#include "runtime/hooks.h"
#include "base/kernel.h"
#include "runtime/text.h"

void dh_flags_init(void)
{
	dh_flags_default(&dh_flags);
	const char *theirs = dh_environment_get("TSAN_OPTIONS");
	dh_flags_parse_theirs(&dh_flags, dh_hook_options());
	dh_flags_parse_theirs(&dh_flags, theirs ? theirs : "");
	const char *text = dh_environment_get("DEADHEAT_OPTIONS");
	struct dh_flag_error e;
	if (!text ||
	    (dh_flags_parse(&dh_flags, text, &e) && dh_flags_check(&dh_flags, &e)))
		return;
	struct dh_text line = {0};
	dh_text_add(&line, "deadheat: DEADHEAT_OPTIONS: ");
	dh_text_add(&line, e.text);
	dh_text_add(&line, "\n");
	dh_sys_write(2, line.at, line.len);
	DH_KERNEL_1(__NR_exit_group, 2);
	__builtin_unreachable();
}
