# SPDX-License-Identifier: MIT
"""RaceTrack, Tables 2 and 3: the cost of its settings, its counters, and its memory against
the program's own and ThreadSanitizer's."""
from experiments import real
from measuring import CPU, MEMORY, mean

HEAP = ["rbtree", "strings", "arrays", "lru"]
PROGRAMS = ["rbtree", "strings", "lru", "multiset", "montecarlo", "raytracer", "tsp",
            "pipeline"]
SETTINGS = ["lockset", "threadset", "paper"]
THREADS = 4
COUNTERS = ["clock_ticks", "synchronisations", "objects_allocated", "objects_refined",
            "monitored_accesses", "repeated_accesses", "object_level_accesses",
            "object_level_own", "field_level_accesses"]


def arguments(lab, name):
    """The heap programs are large: a tenth of their size at scale 100."""
    scale = max(lab.args.scale // 10, 1) if name in HEAP and not lab.args.full else \
        lab.args.scale
    return (THREADS, scale)


def settings(lab, section):
    """Table 2: lockset, + threadset, + granularity (which is the paper's), and ours."""
    for name in SETTINGS:
        lab.engines.setdefault(f"racetrack {name}", f"--engine racetrack --racetrack {name}")
    ways = lab.ways(["native", *(f"racetrack {s}" for s in SETTINGS), "racetrack"])
    names = [w.name for w in ways]
    if len(names) < 2:
        return
    rows = []
    for name in PROGRAMS:
        best = lab.best(ways, name, arguments(lab, name))
        if "native" not in best:
            continue
        base, row = best["native"], [name, best["native"][CPU] * 1000,
                                     best["native"][MEMORY] / 1024]
        for n in names[1:]:
            row += [best[n][w] / max(base[w], f) if n in best else None
                    for w, f in ((CPU, 0.001), (MEMORY, 1))]
        rows.append(row)
    titles = ["program", "native ms", "MiB"]
    for n in names[1:]:
        titles += [f"{n.split()[-1]}: time", "memory"]
    section.say(f"{THREADS} threads, `--racetrack lockset`, `threadset`, `paper` and, as "
                "`racetrack`, what is the default. CPU time and peak memory as multiples of the "
                "native program's.")
    section.table(titles, rows)


def counters(lab, section):
    """Table 3: behaviour under adaptive granularity."""
    if not lab.has("racetrack"):
        return
    seen = [(p, lab.counters("racetrack", p, arguments(lab, p))) for p in PROGRAMS]
    section.table(["", *(p for p, _ in seen)],
                  [[f"`{key}`", *(c.get(key) for _, c in seen)] for key in COUNTERS])


def against_native(section, names, measured):
    """A table of memory and time as multiples of the native program's. measured: names of
    programs, and the least that each used, by name of the way."""
    rows, ratios = [], {n: ([], []) for n in names}
    for name, best in measured:
        if "native" not in best:
            continue
        base = best["native"]
        row = [name, base[MEMORY] / 1024]
        for n in names:
            pair = [best[n][w] / max(base[w], f) if n in best else None
                    for w, f in ((MEMORY, 1), (CPU, 0.001))]
            row += pair
            for kept, value in zip(ratios[n], pair):
                kept.append(value)
        rows.append(row)
    last = ["geometric mean", None]
    for n in names:
        last += [mean(v) if v and all(v) else None for v in ratios[n]]
    titles = ["program", "native MiB"]
    for n in names:
        titles += [f"{n}: memory", "time"]
    section.say(f"{THREADS} threads. Peak resident memory and CPU time as multiples of the "
                "native program's.")
    section.table(titles, rows + [last])


def memory(lab, section):
    """Peak memory of programs that live on the heap."""
    ways = lab.ways(["native", "clang", "fasttrack", "racetrack"])
    against_native(section, [w.name for w in ways if w.name != "native"],
                   ((n, lab.best(ways, n, arguments(lab, n))) for n in HEAP))


def real_programs(lab, section):
    """The same for programs that people use, where their sources can be had."""
    ways = lab.ways(["native", "clang", "fasttrack", "racetrack"])
    programs = list(real.available(lab, sorted({w.built for w in ways})))
    if not programs:
        section.say("None of the programs could be had and built here.")
        return
    against_native(section, [w.name for w in ways if w.name != "native"],
                   ((p.name, real.best(lab, p, ways)) for p in programs))


EXPERIMENTS = [("racetrack-settings", settings), ("racetrack-counters", counters),
               ("racetrack-memory", memory), ("racetrack-real", real_programs)]
