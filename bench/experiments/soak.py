# SPDX-License-Identifier: MIT
"""Long runs of a program like a server (papers/server.c): does memory stay, does the speed?
All run at the same time, so that what else the machine does meets them alike: the native
program, and of each engine a process that lives as long as the run does and one that is
begun anew with each tenth of it. Speed is requests per second of processor time; if the old
process is as fast as the young one beside it, from the first tenth to the last, then age
does not slow it down."""
import subprocess
import threading

import plot
from experiments.lab import program

ENGINES = ["multirace", "goldilocks"]
WORKERS = 4
PARTS = 10  # of a run, and young processes one after the other
INTERVALS = 6  # readings in a part; the first is the warm-up of a young process
SECOND, REQUESTS, RESIDENT, USED = range(4)


def readings(output):
    """[(seconds, requests, KiB, processor milliseconds), ...], all since the start."""
    lines = (text.split() for text in output.splitlines())
    return [tuple(int(n) for n in numbers) for numbers in lines
            if len(numbers) == 4 and all(n.isdigit() for n in numbers)]


def serve(lab, way, seconds, interval):
    """Readings of one process."""
    command = [*way.prefix, way.path(lab.where, program("server")), str(WORKERS),
               str(seconds), str(interval)]
    done = subprocess.run(command, env=way.env, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL)
    if done.returncode:
        lab.note(f"{way.name} ended with status {done.returncode}")
    if "wrong answers: 0" not in done.stdout:
        lab.note(f"{way.name}: the server gave wrong answers, or did not end")
    return readings(done.stdout)


def run_all(lab, ways, part, interval):
    """Of each way, the readings of the old process, and those of each young one."""
    old, young, running = {}, {}, []

    def live(way):
        old[way.name] = serve(lab, way, PARTS * part, interval)

    def renew(way):
        young[way.name] = [serve(lab, way, part, interval) for _ in range(PARTS)]

    for way in ways:
        way.build(lab.where, program("server"))
        running += [threading.Thread(target=f, args=(way,))
                    for f in ([live] if way.name == "native" else [live, renew])]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    return {w.name: old[w.name] for w in ways}, young


def speed(points, start, end):
    """Requests per second of processor time between two times, or None."""
    points = [p for p in [(0, 0, 0, 0), *points] if start <= p[SECOND] <= end]
    if len(points) < 2 or points[-1][USED] == points[0][USED]:
        return None
    return (1000 * (points[-1][REQUESTS] - points[0][REQUESTS])
            / (points[-1][USED] - points[0][USED]))


def share(one, other):
    return 100 * one / other if one and other else None


def compared(old, young, part, interval):
    """By part of the run: the old process's speed in percent of the young one's."""
    return [share(speed(old, n * part + interval, (n + 1) * part),
                  speed(points, interval, part))
            for n, points in enumerate(young)]


def average(values):
    values = [v for v in values if v is not None]
    return sum(values) / len(values) if values else None


def row(name, points, native, ages):
    half = len(ages) // 2
    memory = [p[RESIDENT] / 1024 for p in points]
    tenth = max(len(points) // PARTS, 1)
    end = points[-1][SECOND]
    return [name, points[-1][REQUESTS], share(speed(points, 0, end), speed(native, 0, end)),
            average(ages[:half]), average(ages[half:]),
            average(memory[tenth:2 * tenth]), average(memory[-tenth:]), max(memory)]


def curves(section, old, ages, part):
    resident = [(n, [(p[SECOND] / 60, p[RESIDENT] / 1024) for p in points])
                for n, points in old.items() if n != "native"]
    against = [(n, [((k + 0.5) * part / 60, a) for k, a in enumerate(values) if a])
               for n, values in ages.items() if n != "native"]
    for file, label, series in [("soak-memory", "resident MiB", resident),
                                ("soak-speed", "speed in percent of a new process", against)]:
        section.plot(file, plot.lines("A server under load", "minutes", label, series,
                                      dots=False), f"{label} over time")


def soak(lab, section):
    part = max(lab.args.seconds // PARTS, INTERVALS)
    interval = part // INTERVALS
    old, young = run_all(lab, lab.ways(["native", *ENGINES]), part, interval)
    if not all(old.values()) or "native" not in old:
        return
    ages = {n: compared(old[n], young.get(n, []), part, interval) for n in old}
    section.say(f"{PARTS * part} seconds, {WORKERS} workers, 4 clients, connections of 20 "
                "requests. At the same time on one machine: the native program, and of each "
                f"engine a process that lives all the time and one begun anew every {part} "
                "seconds. Speed: requests per second of processor time; of the old process in "
                "percent of the native one's, and in percent of the young one's in the first "
                "and in the second half of the run. MiB of the old process: in the second "
                "tenth of the run, in the last, and the most.")
    section.table(["engine", "requests", "of native, %", "of a new one, %", "2nd half, %",
                   "MiB", "last", "most"],
                  [row(n, p, old["native"], ages[n]) for n, p in old.items()])
    curves(section, old, ages, part)


EXPERIMENTS = [("soak", soak)]
