# SPDX-License-Identifier: MIT
"""What all experiments use: the programs, the ways to run them, and what was measured.

A way that does not work here (an engine that this build does not have, a compiler that is
not installed) is left out and named with the reason under each table; so is a run that
failed, gave a wrong result or took too long. Nothing is made up for it.
"""
import copy
import functools
import os
import re
import shutil
import subprocess

from measuring import (CLANG, HERE, RACES, TOO_LONG, Failed, Way, build_measure, least,
                       library_of, median, run_measured, with_library)

COUNTER = re.compile(r"^ +(\w+) +(\d+)$", re.M)

# Options of `deadheat run` by name of the way. `--way NAME=OPTIONS` adds to it.
ENGINES = {
    "fasttrack": "--engine fasttrack",
    "null": "--engine null",
    "log": "--engine log",
    "count": "--engine count",
    "multirace": "--engine multirace",
    "djit": "--engine djit",
    "lockset": "--engine lockset",
    "goldilocks": "--engine goldilocks",
    "eraser": "--engine eraser",
    "racetrack": "--engine racetrack",
    "goldilocks+stop": "--engine goldilocks --stop-after-race",
}
# Libraries with a part of the runtime.
PARTS = {"calls": "empty"}


def program(name):
    """The source of a program: of the papers, or a kernel that is the same thing."""
    for folder in ("papers", "kernels"):
        path = os.path.join(HERE, folder, name + ".c")
        if os.path.exists(path):
            return path
    raise SystemExit(f"run_papers: no such program: {name}")


class Lab:
    """Where programs are built and run. where: a folder for what is built."""

    def __init__(self, args, where):
        self.args, self.where = args, os.path.abspath(where)
        self.build = os.path.abspath(args.build)
        self.deadheat = os.path.join(self.build, "deadheat")
        self.engines = dict(ENGINES, **dict(w.split("=", 1) for w in args.way))
        self.notes = []  # what went wrong, since the last section
        self.found = {}  # ways that were tried: Way, or why not
        build_measure(self.where)

    # ---- ways ----

    def make_way(self, name):
        compiler = CLANG if shutil.which(CLANG) else "gcc"
        if name == "native":
            return Way(name, [compiler], [])
        if name == "clang":
            return Way(name, [CLANG, "-fsanitize=thread"], [], allowed=(0, RACES))
        if name in PARTS:
            return with_library(name, library_of(self.build, PARTS[name]))
        options = self.engines[name].split()
        return Way(name, [self.deadheat, "cc"], [],
                   {"DEADHEAT_CC": compiler, "DEADHEAT_OPTIONS": ""}, built="deadheat",
                   prefix=[self.deadheat, "run", "--quiet", *options, "--"],
                   allowed=(0, RACES))

    def try_way(self, name):
        """The way if it can run an empty program, else why it cannot."""
        if name in ("clang", *PARTS) and not shutil.which(CLANG):
            return f"{CLANG} is not installed"
        way = self.make_way(name)
        empty = program("empty_main")
        way.build(self.where, empty)
        try:
            way.run(self.where, empty, (1, 1))
        except Failed as failure:
            told = failure.errors.strip().split("\n")[0]
            if "'engine'" in told:
                return "no such engine in this build"
            return re.sub(r"^deadheat: run: |[;?] *(see|did you) .*", "", told)
        return way

    def ways(self, names):
        for name in names:
            if name not in self.found:
                self.found[name] = self.try_way(name)
            if not isinstance(self.found[name], Way):
                self.note(f"`{name}` was not run: {self.found[name]}")
        return [self.found[n] for n in names if isinstance(self.found[n], Way)]

    def has(self, name):
        return bool(self.ways([name]))

    def note(self, text):
        if text not in self.notes:
            self.notes.append(text)

    # ---- runs ----

    def run(self, way, name, arguments):
        """As Way.run(), or None where it failed, which is noted."""
        source = program(name)
        way.build(self.where, source)
        what = f"{name} {' '.join(str(a) for a in arguments)} under `{way.name}`"
        try:
            done = way.run(self.where, source, arguments, self.args.limit)
        except Failed as failure:
            self.note(f"{what}: " + (f"stopped after {self.args.limit} seconds"
                                     if failure.status == TOO_LONG
                                     else f"failed with status {failure.status}"))
            return None
        if done[3] == RACES and not name.endswith("_race"):
            self.note(f"{what}: reported a race as observed, where there is none")
        return done

    def rounds(self, ways, name, arguments):
        """What was used in each round, by name of the way; all ways in turn. A way whose run
        failed or gave another result than the first way is left out."""
        used, failed, result = {}, set(), None
        for _ in range(self.args.rounds):
            for way in ways:
                done = None if way.name in failed else self.run(way, name, arguments)
                if not done:
                    failed.add(way.name)
                    continue
                result = result or done[1]
                if done[1] != result:
                    self.note(f"{name} under `{way.name}` gave a wrong result")
                    failed.add(way.name)
                used.setdefault(way.name, []).append(done[0])
        return {n: u for n, u in used.items() if n not in failed}

    def best(self, ways, name, arguments):
        """The least that was used, by name of the way."""
        used = self.rounds(ways, name, arguments)
        return {n: functools.reduce(least, u) for n, u in used.items()}

    def typical(self, ways, name, arguments):
        """The median of what was used, by name of the way."""
        return {n: median(u) for n, u in self.rounds(ways, name, arguments).items()}

    def counters(self, name, program_name, arguments):
        """What `--stats` tells of a run, by name of the counter; {} where it failed."""
        ways = self.ways([name])
        if not ways:
            return {}
        log = os.path.join(self.where, "stats")
        way = copy.copy(ways[0])
        options = [o for o in way.prefix[:-1] if o != "--quiet"]
        way.prefix = [*options, "--stats", "--verbose", "--log", log, "--"]
        if os.path.exists(log):
            os.unlink(log)
        if not self.run(way, program_name, arguments) or not os.path.exists(log):
            return {}
        with open(log, encoding="utf-8", errors="replace") as f:
            return {k: int(v) for k, v in COUNTER.findall(f.read())}

    def accesses(self, name, arguments):
        """How many reads and writes a run has."""
        seen = self.counters("count", name, arguments)
        return seen.get("seen_reads", 0) + seen.get("seen_writes", 0)

    # ---- traces ----

    def trace(self, **options):
        """Writes a trace of bench/trace_gen; the path."""
        path = os.path.join(self.where, "made.dht")
        words = [f"{k}={v}" for k, v in options.items()]
        subprocess.run([os.path.join(self.build, "bench", "trace_gen"), *words, path],
                       check=True)
        return path

    def analyze(self, trace, plans):
        """The least that `deadheat analyze` used over a trace, and its counters, by plan: an
        engine, and a filter or None. All plans in turn."""
        found = {}
        for _ in range(self.args.rounds):
            for engine, filter_name in plans:
                command = [self.deadheat, "analyze", "-q", "--stats", "-e", engine,
                           *(["-f", filter_name] if filter_name else []), trace]
                used, output, _, _ = run_measured(self.where, command, allowed=(0, RACES))
                before = found.get((engine, filter_name), (used,))[0]
                found[engine, filter_name] = (
                    least(before, used), {k: int(v) for k, v in COUNTER.findall(output)})
        return found
