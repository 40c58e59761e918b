# SPDX-License-Identifier: MIT
"""What the benchmark runners share: ways to build and run a program, the least that it
used of several rounds, and Markdown tables.

CPU time is user and system time of the process, memory the most that it had resident
(kernels/measure.c takes both).
"""
import math
import os
import signal
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CLANG = "clang-22"
PACKAGES = "clang-22 libclang-rt-22-dev"
MEASURE = "measure"
CPU, MEMORY, WALL = range(3)
TOO_LONG = 124  # in place of a status: stopped
RACES = 66  # the exit status of `deadheat run` and `deadheat analyze` that means findings


class Failed(Exception):
    """A command that ended with a status that it should not have."""

    def __init__(self, command, status, errors):
        super().__init__(f"{' '.join(command)}: status {status}\n{errors}")
        self.status, self.errors = status, errors


def build_measure(where):
    """Builds what takes the measurements, into the folder of the programs."""
    source = os.path.join(HERE, "kernels", MEASURE + ".c")
    subprocess.run(["cc", "-O2", source, "-o", os.path.join(where, MEASURE)], check=True)


def run_measured(where, command, env=None, allowed=(0,), limit=None):
    """CPU seconds, resident KiB and seconds; what it printed; what it wrote to standard
    error; its status. limit: seconds after which it is stopped, and has failed."""
    child = subprocess.Popen([os.path.join(where, MEASURE), *command], env=env, text=True,
                             errors="replace", stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, start_new_session=True)
    try:
        output, errors = child.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.communicate()
        raise Failed(command, TOO_LONG, f"stopped after {limit} seconds") from None
    if child.returncode not in allowed:
        raise Failed(command, child.returncode, errors)
    lines = errors.split("\n")
    used = tuple(float(n) for n in lines[-2].split())
    return used, output, "\n".join(lines[:-2]), child.returncode


class Way:
    """One way to build and run programs. What is built alike is built once: `built` names
    the executable. `prefix` is put before the command, e.g. `deadheat run --quiet`."""

    def __init__(self, name, compiler, flags, env=None, built=None, prefix=(), allowed=(0,)):
        self.name, self.compiler, self.flags = name, compiler, flags
        self.env = dict(os.environ, **(env or {}))
        self.built, self.prefix, self.allowed = built or name, list(prefix), allowed

    def path(self, where, source):
        stem = os.path.splitext(os.path.basename(source))[0]
        return os.path.join(where, f"{stem}.{self.built}")

    def build(self, where, source):
        path = self.path(where, source)
        if os.path.exists(path):
            return
        command = [*self.compiler, "-O2", "-g", source, "-o", path, *self.flags,
                   "-pthread", "-lm"]
        done = subprocess.run(command, env=self.env, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{' '.join(command)}\n{done.stderr}")

    def run(self, where, source, arguments, limit=None):
        """As run_measured()."""
        command = [*self.prefix, self.path(where, source), *(str(a) for a in arguments)]
        return run_measured(where, command, self.env, self.allowed, limit)


def with_library(name, library):
    """The compiler's instrumentation, on a runtime library of our own."""
    where = os.path.dirname(os.path.abspath(library))
    return Way(name, [CLANG, "-fsanitize=thread", "-fno-sanitize-link-runtime"],
               [library, f"-Wl,-rpath,{where}"])


def library_of(build, part):
    """Builds and names a library that holds only a part of the runtime (meson.build)."""
    path = os.path.join("bench", f"libkernels-{part}.so")
    subprocess.run(["ninja", "-C", build, "--quiet", path], check=True,
                   stdout=subprocess.DEVNULL)
    return os.path.join(build, path)


def least(a, b):
    return tuple(min(x, y) for x, y in zip(a, b))


def median(used):
    """Of several runs, each number by itself."""
    return tuple(statistics.median(numbers) for numbers in zip(*used))


def measure(ways, where, source, arguments, rounds):
    """The least that was used, by way: all ways in turn within a round."""
    best = {}
    outputs = set()
    for _ in range(rounds):
        for way in ways:
            used, output, _, _ = way.run(where, source, arguments)
            best[way.name] = least(best.get(way.name, used), used)
            outputs.add(output)
    if len(outputs) > 1:
        sys.exit(f"{source}: the checksums differ: {outputs}")
    return best


def mean(values):
    """The geometric mean."""
    return math.exp(sum(math.log(v) for v in values) / len(values))


def line(name, cells):
    print("| " + " | ".join([f"{name:12}", *(f"{c:>12}" for c in cells)]) + " |", flush=True)


def head(name, titles):
    line(name, titles)
    rule = "-" * (max(len(name), 12) + 2)
    print("|" + "|".join([rule, *("-" * 13 + ":" for _ in titles)]) + "|")
