#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tools/test.sh BUILD-DIR [--suite NAME | TEST...]
# Runs the tests (all but the long ones by default) and ends with one line,
# "N passed, N failed", that counts single cases.
set -eu
build=$1
shift
case ${1-} in
'') set -- --no-suite long ;;
esac

found=$build/meson-logs/testlog.junit.xml
rm -f "$found"
status=0
meson test -C "$build" --no-rebuild --print-errorlogs "$@" || status=$?
[ -e "$found" ] || {
	echo "tools/test.sh: no such test: $* (meson test -C $build --list)" >&2
	exit 1
}
python3 - "$found" <<'PY'
import sys, xml.etree.ElementTree as tree
passed = failed = 0
for suite in tree.parse(sys.argv[1]).getroot().iter("testsuite"):
    for case in suite.iter("testcase"):
        bad = case.find("failure") is not None or case.find("error") is not None
        failed += bad
        passed += not bad and case.find("skipped") is None
print(f"{passed} passed, {failed} failed")
PY
exit $status
