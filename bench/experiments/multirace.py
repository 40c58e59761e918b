# SPDX-License-Identifier: MIT
"""MultiRace, Figures 17 to 19: overheads by number of threads, what they are made of, and
what larger detection units save."""
import plot
from measuring import CPU, MEMORY, mean

PROGRAMS = ["fft", "is", "lu", "sor", "tsp", "water"]
UNITS = [1, 2, 4, 8, 16, 32, 64, 128, 256]
PICTURED = [1, 4, 16, 64]  # threads, where the picture of all would be crowded
GRANULARITIES = ["byte", "adaptive", "word", "object"]
WAYS = ["native", "clang", "fasttrack", "multirace", "djit", "lockset"]
# Each way contains the one before; what it adds is called so.
LAYERS = [("native", "the program"), ("calls", "instrumentation"),
          ("null", "order, hand-over"), ("log", "logging"),
          ("multirace", "detection")]


def ratio(best, way, what=CPU):
    if way not in best or "native" not in best:
        return None
    floor = 0.001 if what == CPU else 1
    return best[way][what] / max(best["native"][what], floor)


def overheads(lab, section):
    """Figure 18: slowdown by number of threads."""
    ways = lab.ways(WAYS)
    shown = [w.name for w in ways if w.name != "native"]
    seen = {}
    for name in PROGRAMS:
        for threads in lab.args.threads:
            seen[name, threads] = lab.best(ways, name, (threads, lab.args.scale))
    section.say("CPU time as a multiple of the native program's with as many threads; the "
                "geometric mean of " + ", ".join(PROGRAMS) + ".")
    rows = []
    for threads in lab.args.threads:
        cells = [[ratio(seen[p, threads], w) for p in PROGRAMS] for w in shown]
        rows.append([str(threads), *(mean(c) if all(c) else None for c in cells)])
    section.table(["threads", *shown], rows)
    main = "multirace" if "multirace" in shown else shown[-1]
    section.say(f"Under `{main}`, by program, and peak memory in MiB with "
                f"{lab.args.threads[-1]} threads:")
    last = lab.args.threads[-1]
    section.table(["program", *(str(t) for t in lab.args.threads), "native MiB", "MiB"],
                  [[p, *(ratio(seen[p, t], main) for t in lab.args.threads),
                    *(seen[p, last][w][MEMORY] / 1024 if w in seen[p, last] else None
                      for w in ("native", main))] for p in PROGRAMS])
    series = [(p, [(t, ratio(seen[p, t], main)) for t in lab.args.threads
                   if ratio(seen[p, t], main)]) for p in PROGRAMS]
    section.plot("multirace-overheads",
                 plot.lines(f"Overheads of {main}", "threads", "CPU time / native", series,
                            log_x=2), f"slowdown under {main} by number of threads")


def breakdown(lab, section):
    """Figure 19: instrumentation, logging, detection."""
    ways = lab.ways([w for w, _ in LAYERS])
    names = {w: words for w, words in LAYERS}
    kept = [w.name for w in ways]
    threads = lab.args.threads
    rows, groups = [], []
    for name in PROGRAMS:
        bars = []
        for t in threads:
            best = lab.best(ways, name, (t, lab.args.scale))
            totals = [ratio(best, w) for w in kept]
            if not all(totals):
                continue
            parts = [totals[0], *(max(b - a, 0) for a, b in zip(totals, totals[1:]))]
            rows.append([f"{name}, {t}", *parts, totals[-1]])
            if len(threads) < 4 or t in PICTURED:
                bars.append((str(t), parts))
        if bars:
            groups.append((name, bars))
    layers = [names[w] for w in kept]
    section.say("What each part adds, in multiples of the native CPU time with as many "
                "threads.")
    section.table(["program, threads", *layers, "all"], rows)
    if groups:
        section.plot("multirace-breakdown",
                     plot.bars("What the overhead is made of", "CPU time / native", layers,
                               groups), "instrumentation, logging and detection")


def characteristics(lab, section):
    """Table 1: what the programs do, and what of it is logged and checked."""
    if not lab.has("multirace"):
        return
    rows = []
    for name in PROGRAMS:
        arguments = (2, lab.args.scale)
        seen, made = (lab.counters(w, name, arguments) for w in ("count", "multirace"))
        rows.append([name, seen.get("seen_reads", 0) + seen.get("seen_writes", 0),
                     seen.get("seen_locks", 0), seen.get("seen_barriers", 0),
                     *(made.get(k) for k in ("variables_peak", "repeats_kept_back",
                                             "first_accesses", "checks",
                                             "checks_skipped"))])
    section.say("Two threads. Accesses of the program; those that a thread repeated within a "
                "time frame and nobody was told of; those that were the first of their time "
                "frame, and logged; those of these that DJIT+ looked at, and those that it "
                "left out because a lock protects the variable.")
    section.table(["program", "accesses", "locks", "barriers", "variables", "repeats",
                   "logged", "checked", "left out"], rows)


def granularity(lab, section):
    """Figure 17: complex numbers to a detection unit in FFT; and --granularity."""
    threads = [t for t in lab.args.threads if t in (1, 2, 4, 8)] or lab.args.threads[:4]
    ways = lab.ways(["native", "multirace"])
    if len(ways) == 2:
        rows, series = [], []
        for t in threads:
            seen = [ratio(lab.best(ways, "fft_unit", (t, lab.args.scale, u)), "multirace")
                    for u in UNITS]
            rows.append([str(t), *seen])
            series.append((f"{t} threads", [p for p in zip(UNITS, seen) if p[1]]))
        section.say("FFT: CPU time as a multiple of the native one, by complex numbers (8 "
                    "bytes) to a detection unit (`DEADHEAT_UNIT`).")
        section.table(["threads", *(str(u) for u in UNITS)], rows)
        section.plot("multirace-granularity",
                     plot.lines("FFT: size of the detection unit",
                                "complex numbers per unit", "CPU time / native", series,
                                log_x=2), "slowdown by size of the detection unit")
    for name in GRANULARITIES:
        lab.engines.setdefault(f"by {name}", f"--engine multirace --granularity {name}")
    ways = lab.ways(["native", *(f"by {name}" for name in GRANULARITIES)])
    names = [w.name for w in ways if w.name != "native"]
    section.say("LU, by `--granularity`. `object`: a heap block, here 2 KiB of the matrix; "
                "elsewhere 8 bytes.")
    seen = {t: lab.best(ways, "lu", (t, lab.args.scale)) for t in threads}
    section.table(["threads", *(n.split()[1] for n in names)],
                  [[str(t), *(ratio(seen[t], n) for n in names)] for t in threads])


EXPERIMENTS = [("multirace-characteristics", characteristics),
               ("multirace-overheads", overheads), ("multirace-breakdown", breakdown),
               ("multirace-granularity", granularity)]
