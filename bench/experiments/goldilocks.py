# SPDX-License-Identifier: MIT
"""Goldilocks, Figure 4 and Tables 1 and 2: what the check of an access costs by number of
threads, and whole programs, against vector clocks and Eraser."""
import plot
from measuring import CPU

SPOTS = ["multiset", "sharedspot", "localspot"]
STYLES = [("SharedSpot", 1), ("LocalSpot", 2)]
RACES = ["sor_race", "tree_private_race"]
PROGRAMS = ["scimark", "moldyn", "raytracer", "montecarlo", "sor"]
THREADS = [1, 2, 4, 8, 16, 32, 64, 128, 256]
ENGINES = ["goldilocks", "djit", "eraser", "fasttrack"]


def chart(section, name, title, seen, engines, threads):
    series = [(e, [(t, seen[e, t]) for t in threads if seen.get((e, t)) is not None])
              for e in engines]
    series = [s for s in series if s[1]]
    if series:
        section.plot(name, plot.lines(title, "threads", "ns per access", series, log_x=2),
                     f"{title}: nanoseconds per access by number of threads")


def access(lab, section):
    """Figure 4, in the running program."""
    ways = lab.ways(["native", *ENGINES, "null"])
    engines = [w.name for w in ways if w.name != "native"]
    section.say("CPU nanoseconds that a read or write of the program costs more than "
                "natively: all that the program pays, with its synchronisation, divided by "
                "its accesses. `null` judges nothing: what instrumentation and clocks cost "
                "every engine.")
    for name in SPOTS:
        seen = {}
        for threads in THREADS:
            n = lab.accesses(name, (threads, lab.args.scale))
            best = lab.best(ways, name, (threads, lab.args.scale))
            for e in engines:
                if n and e in best and "native" in best:
                    more = best[e][CPU] - best["native"][CPU]
                    seen[e, threads] = max(more, 0) * 1e9 / n
        section.say(f"`{name}`:")
        section.table(["threads", *engines],
                      [[str(t), *(seen.get((e, t)) for e in engines)] for t in THREADS])
        chart(section, f"goldilocks-{name}", f"{name}, live", seen, engines, THREADS)


def offline(lab, section):
    """Figure 4, over traces."""
    events = 300_000 if lab.args.quick else 1_000_000
    section.say(f"`deadheat analyze` over traces of {events:,} events, half of them "
                "accesses: CPU nanoseconds per access more than the engine `null`, which "
                "reads the trace and judges nothing. (A trace has two threads at least.)")
    for title, style in STYLES:
        seen, marks = {}, THREADS[1:]
        for threads in marks:
            trace = lab.trace(style=style, threads=threads, events=events, vars=1024)
            found = lab.analyze(trace, [(e, None) for e in ("null", *ENGINES)])
            for e in ENGINES:
                more = found[e, None][0][CPU] - found["null", None][0][CPU]
                seen[e, threads] = max(more, 0) * 1e9 / (events / 2)
        section.say(f"{title}:")
        section.table(["threads", *ENGINES],
                      [[str(t), *(seen.get((e, t)) for e in ENGINES)] for t in marks])
        chart(section, f"goldilocks-{title.lower()}-trace", f"{title}, over traces", seen,
              ENGINES, marks)


def programs(lab, section):
    """Table 1: whole programs with seven threads."""
    ways = lab.ways(["native", "djit", "eraser", "goldilocks", "fasttrack", "clang"])
    names = [w.name for w in ways if w.name != "native"]
    arguments = (7, lab.args.scale)
    rows = []
    for name in PROGRAMS:
        best = lab.best(ways, name, arguments)
        if "native" not in best:
            continue
        base = max(best["native"][CPU], 0.001)
        rows.append([name, lab.accesses(name, arguments), base * 1000,
                     *((best[n][CPU] - base) / base if n in best else None for n in names)])
    section.say("Seven threads. The slowdown is that of the paper's Table 1: the CPU time "
                "that comes on top, as a multiple of the native one.")
    section.table(["program", "accesses", "native ms", *names], rows)


def stopping(lab, section):
    """Table 2: when a variable with a race is not looked at any more."""
    ways = lab.ways(["native", "goldilocks", "goldilocks+stop"])
    names = [w.name for w in ways if w.name != "native"]
    if len(names) < 2:
        return
    rows = []
    for name in RACES:
        best = lab.best(ways, name, (7, lab.args.scale))
        seen = [lab.counters(n, name, (7, lab.args.scale)).get("accesses") for n in names]
        if "native" in best:
            rows.append([name, best["native"][CPU] * 1000,
                         *(best[n][CPU] * 1000 if n in best else None for n in names),
                         *seen])
    section.say("Seven threads, programs with races: CPU milliseconds, and accesses that "
                "were judged.")
    section.table(["program", "native", *names, *(f"{n}: accesses" for n in names)], rows)


EXPERIMENTS = [("goldilocks-access", access), ("goldilocks-traces", offline),
               ("goldilocks-programs", programs),
               ("goldilocks-stop", stopping)]
