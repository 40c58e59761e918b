# SPDX-License-Identifier: MIT
"""Long runs of a program like a server (papers/server.c): does memory stay, does the speed?
All engines run at the same time, so that what else the machine does meets them alike."""
import subprocess

import plot
from experiments.lab import program

ENGINES = ["multirace", "goldilocks"]
KINDS = [("", 20), (", kept", 1_000_000_000)]  # requests to a connection
WORKERS = 4


def curve(output, interval):
    """[(minutes, requests per second, MiB), ...]"""
    points, before = [], 0
    for text in output.splitlines():
        numbers = text.split()
        if len(numbers) == 3 and all(n.isdigit() for n in numbers):
            second, requests, resident = (int(n) for n in numbers)
            points.append((second / 60, (requests - before) / interval, resident / 1024))
            before = requests
    return points


def run_all(lab, ways, seconds, interval):
    source = program("server")
    running = []
    for way in ways:
        way.build(lab.where, source)
        for kind, requests in KINDS:
            command = [*way.prefix, way.path(lab.where, source), str(WORKERS), str(seconds),
                       str(interval), str(requests)]
            child = subprocess.Popen(command, env=way.env, text=True,
                                     stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            running.append((way.name + kind, child))
    curves = {}
    for name, child in running:
        output = child.communicate()[0]
        if child.returncode:
            lab.note(f"{name} ended with status {child.returncode}")
        if "wrong answers: 0" not in output:
            lab.note(f"{name}: the server gave wrong answers, or did not end")
        curves[name] = curve(output, interval)
    return curves


def average(points, which):
    return sum(p[which] for p in points) / len(points) if points else None


def soak(lab, section):
    seconds = lab.args.seconds
    interval = max(seconds // 60, 1)
    ways = lab.ways(ENGINES)
    if not ways:
        return
    curves = run_all(lab, ways, seconds, interval)
    section.say(f"{seconds} seconds, {WORKERS} workers, 4 clients, all at the same time on one "
                "machine. Connections end after 20 requests, or are kept for the whole run. "
                "First and last: a tenth of the run each, after the first tenth.")
    rows = []
    for name, points in curves.items():
        tenth = max(len(points) // 10, 1)
        early, late = points[tenth:2 * tenth], points[-tenth:]
        rows.append([name, average(early, 1), average(late, 1), average(early, 2),
                     average(late, 2), max((p[2] for p in points), default=None)])
    section.table(["engine", "requests/s first", "last", "MiB first", "last", "most"], rows)
    for which, file, label in ((2, "soak-memory", "resident MiB"),
                               (1, "soak-speed", "requests per second")):
        series = [(n, [(p[0], p[which]) for p in c]) for n, c in curves.items() if c]
        if series:
            section.plot(file, plot.lines("A server under load", "minutes", label, series,
                                          dots=False), f"{label} over time")


EXPERIMENTS = [("soak", soak)]
