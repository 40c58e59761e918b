/* SPDX-License-Identifier: MIT */
/* See reading.h. */
#include "cli/reading.h"
#include "cli/cmd.h"

int dh_read_findings(struct dh_findings *to, const char *const *files, size_t count,
		     bool reports, bool *cut)
{
	for (size_t i = 0; i < count; i++) {
		int result = dh_findings_read(to, files[i]);
		if (result)
			dh_usage_error("%s", dh_findings_error(to));
		if (result < 0)
			return DH_EXIT_USAGE;
		*cut |= result > 0;
		if (!reports && dh_findings_reported(to))
			return dh_usage_error("%s is a report, which can be a baseline; "
					      "findings are needed here",
					      files[i]);
	}
	return 0;
}
