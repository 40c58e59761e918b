# SPDX-License-Identifier: MIT
"""Goldilocks, Figure 4 and Tables 1 and 2: what the check of an access costs by number of
threads, and whole programs, against vector clocks and Eraser."""
import plot
from measuring import CPU

SPOTS = ["multiset", "sharedspot", "localspot"]
STYLES = [("SharedSpot", 1), ("LocalSpot", 2)]
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
            base = lab.analyze("null", trace)[0]
            for e in ENGINES:
                more = lab.analyze(e, trace)[0][CPU] - base[CPU]
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


EXPERIMENTS = [("goldilocks-access", access), ("goldilocks-traces", offline),
               ("goldilocks-programs", programs)]
