#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tools/check_deps.sh SOURCE-DIR
# The folders of src/ depend on each other one way only. Reads the lines
# #include "folder/file.h" and names each one that its folder has no right to.
set -eu
cd "$1"

find src -name '*.[ch]' | sort | xargs awk '
BEGIN {
	may["base"] = ""
	may["clock"] = may["lockset"] = may["context"] = "base"
	may["event"] = "base clock lockset context"
	may["engines"] = may["filters"] = may["event"] " event"
	may["registry"] = may["engines"] " engines filters"
	may["trace"] = may["event"] " event"
	may["report"] = may["trace"] " trace"
	may["triage"] = may["report"] " report"
	may["runtime"] = may["predict"] = may["report"] " report engines filters"
	may["pass"] = "runtime"
	may["assembler"] = "runtime pass"
	may["record"] = may["report"] " report runtime"
	may["cli"] = may["predict"] " predict runtime record registry triage"
}

function offence(text)
{
	print FILENAME ":" FNR ": " text
	bad = 1
}

FNR == 1 {
	files++
	split(FILENAME, part, "/")
	from = part[2]
	if (!(from in may))
		offence("folder src/" from " has no place in the order; see tools/check_deps.sh")
}

/^[ \t]*#[ \t]*include[ \t]*"/ {
	split($0, quoted, "\"")
	if (quoted[2] == "deadheat.h" && from == "runtime")
		next # the public header, which the runtime implements
	if (split(quoted[2], part, "/") < 2)
		offence("\"" quoted[2] "\" does not name its folder")
	else if (part[1] != from && index(" " may[from] " ", " " part[1] " ") == 0)
		offence("src/" from " must not use src/" part[1])
}

END {
	if (!files) {
		print "no files in src/"
		exit 1
	}
	if (!bad)
		print files " files, dependencies point one way"
	exit bad
}'
