# SPDX-License-Identifier: MIT
"""Long runs of a program like a server (papers/server.c): does memory stay, does the speed?
All engines and the native program run at the same time, so that what else the machine does
meets them alike: the speed of an engine is requests per second of processor time, as a share
of what the native program had in the same interval."""
import subprocess

import plot
from experiments.lab import program

ENGINES = ["multirace", "goldilocks"]
WORKERS = 4
SECOND, REQUESTS, RESIDENT, USED = range(4)


def readings(output):
    """[(seconds, requests, KiB, processor milliseconds), ...], all since the start."""
    lines = (text.split() for text in output.splitlines())
    return [tuple(int(n) for n in numbers) for numbers in lines
            if len(numbers) == 4 and all(n.isdigit() for n in numbers)]


def steps(points, which):
    """By interval, how much a reading grew."""
    return [b[which] - a[which] for a, b in zip([(0, 0, 0, 0), *points], points)]


def run_all(lab, ways, seconds, interval):
    source = program("server")
    running = []
    for way in ways:
        way.build(lab.where, source)
        command = [*way.prefix, way.path(lab.where, source), str(WORKERS), str(seconds),
                   str(interval)]
        child = subprocess.Popen(command, env=way.env, text=True, stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL)
        running.append((way.name, child))
    found = {}
    for name, child in running:
        output = child.communicate()[0]
        if child.returncode:
            lab.note(f"{name} ended with status {child.returncode}")
        if "wrong answers: 0" not in output:
            lab.note(f"{name}: the server gave wrong answers, or did not end")
        found[name] = readings(output)
    return found


def speeds(points):
    """Requests per second of processor time, by interval."""
    return [1000 * r / max(u, 1) for r, u in zip(steps(points, REQUESTS), steps(points, USED))]


def average(values):
    return sum(values) / len(values) if values else None


def row(name, points, shares):
    tenth = max(len(points) // 10, 1)
    early, late = slice(tenth, 2 * tenth), slice(-tenth, None)
    memory = [p[RESIDENT] / 1024 for p in points]
    return [name, points[-1][REQUESTS], points[-1][REQUESTS] / points[-1][SECOND],
            average(shares[early]), average(shares[late]), average(memory[early]),
            average(memory[late]), max(memory)]


def soak(lab, section):
    seconds = lab.args.seconds
    interval = max(seconds // 60, 1)
    ways = lab.ways(["native", *ENGINES])
    found = {n: p for n, p in run_all(lab, ways, seconds, interval).items() if p}
    if "native" not in found or len(found) < 2:
        return
    native = speeds(found["native"])
    shares = {n: [100 * s / max(b, 1) for s, b in zip(speeds(p), native)]
              for n, p in found.items()}
    section.say(f"{seconds} seconds, {WORKERS} workers, 4 clients, connections of 20 requests, "
                "all at the same time on one machine. Speed: requests per second of processor "
                "time, in percent of the native program's in the same interval. First and "
                "last: a tenth of the run each, after the first tenth.")
    section.table(["engine", "requests", "per second", "speed first, %", "last, %",
                   "MiB first", "last", "most"],
                  [row(n, p, shares[n]) for n, p in found.items()])
    curves = {"soak-memory": ("resident MiB", lambda n, p: [r[RESIDENT] / 1024 for r in p]),
              "soak-speed": ("speed in percent of native", lambda n, p: shares[n])}
    for file, (label, of) in curves.items():
        series = [(n, [(r[SECOND] / 60, y) for r, y in zip(p, of(n, p))])
                  for n, p in found.items() if n != "native"]
        section.plot(file, plot.lines("A server under load", "minutes", label, series,
                                      dots=False), f"{label} over time")


EXPERIMENTS = [("soak", soak)]
