# SPDX-License-Identifier: MIT
"""TREE, Table 5.1 and the sweeps of Figures 5.1 to 5.3: what the filter skips, and what that
does to time and memory."""
import plot
from measuring import CPU, MEMORY

PROGRAMS = ["moldyn", "montecarlo", "raytracer", "philo", "tsp", "queue", "pipeline", "sor",
            "multiset", "hash", "lru"]
FIGURES = [("5.1, common locks", 3), ("5.3, private locks", 4)]
SWEEPS = [("threads", [2, 4, 8, 16, 32, 64, 100]), ("iterations", [100, 300, 1000, 3000, 10000]),
          ("locks", [1, 3, 10, 30, 100])]
USUAL = {"threads": 16, "iterations": 1000, "locks": 10}
ENGINES = ["fasttrack", "djit", "patent"]
LIVE = ["none", "frame", "tree", "tree-strict"]


def skipped(counters):
    """In percent of the accesses. The filter `frame` of the running program counts what it
    kept back, and the events that it let pass."""
    kept, seen = counters.get("filter_dropped", 0), counters.get("filter_seen", 0)
    if not seen:
        kept = counters.get("repeats_kept_back", 0)
        seen = kept + counters.get("events", 0)
    return 100 * kept / seen if seen else None


def live_ways(lab, engine):
    """An engine of the running program without any filter, and behind each."""
    for f in LIVE:
        lab.engines.setdefault(f"{engine}, {f}", f"--engine {engine} --filter {f}")
    return lab.ways(["native", *(f"{engine}, {f}" for f in LIVE)])


def table(lab, section):
    """Table 5.1, in the running program."""
    section.of_rounds = "Median"
    for engine in ("djit", "patent"):
        ways = live_ways(lab, engine)
        filtered = [w.name for w in ways[2:]]
        if not filtered:
            continue
        titles = ["program", "native ms", f"`{engine}` ms"]
        for name in filtered:
            titles += [f"`{name.split(', ')[1]}`: % skipped", "Δ MiB", "% faster"]
        rows = [r for r in (table_row(lab, ways, p, engine) for p in PROGRAMS) if r]
        section.say(f"`{engine}`, four threads. Skipped: accesses that the filter kept from "
                    "the engine. Faster: CPU time of the engine without a filter that the "
                    "filter saves; less than 0 is a loss.")
        section.table(titles, rows)


def table_row(lab, ways, name, engine):
    scale = max(lab.args.scale // 10, 1) if name == "lru" else lab.args.scale
    best = lab.typical(ways, name, (4, scale))
    base = best.get(f"{engine}, none")
    if not base or "native" not in best:
        return None
    row = [name, best["native"][CPU] * 1000, base[CPU] * 1000]
    for way in (w.name for w in ways[2:]):
        if way not in best:
            row += [None] * 3
            continue
        row += [skipped(lab.counters(way, name, (4, scale))),
                (best[way][MEMORY] - base[MEMORY]) / 1024,
                100 * (1 - best[way][CPU] / base[CPU])]
    return row


def figure(style, threads, iterations, locks):
    """Options of trace_gen for a figure: the main thread only forks."""
    turns = threads * iterations
    return dict(style=style, threads=threads + 1, vars=1, locks=locks,
                events=turns * (2 * locks + 2))


def sweep(lab, section, title, style, name, values):
    rows, times = [], {}
    for value in values:
        at = dict(USUAL, **{name: value})
        trace = lab.trace(**figure(style, at["threads"], at["iterations"], at["locks"]))
        found = lab.analyze(trace, [*((e, f) for e in ENGINES for f in (None, "tree")),
                                    ("fasttrack", "tree-strict")])
        row, more = [str(value)], []
        for e in ENGINES:
            plain, behind = found[e, None][0], found[e, "tree"][0]
            row += [plain[CPU] * 1000, behind[CPU] * 1000]
            more.append((behind[MEMORY] - plain[MEMORY]) / 1024)
            times.setdefault(e, []).append((value, plain[CPU] * 1000))
            times.setdefault(e + ", tree", []).append((value, behind[CPU] * 1000))
        strict, strictly = found["fasttrack", "tree-strict"]
        rows.append([*row, strict[CPU] * 1000, max(more),
                     skipped(found["fasttrack", "tree"][1]), skipped(strictly)])
    others = ", ".join(f"{v} {k}" for k, v in USUAL.items() if k != name)
    section.say(f"Figure {title}; {others}:")
    titles = [name]
    for e in ENGINES:
        titles += [f"`{e}` ms", "behind `tree`"]
    section.table([*titles, "`fasttrack` behind `tree-strict`", "Δ MiB, at most",
                   "% skipped", "by `tree-strict`"], rows)
    file = f"tree-{title[:3].replace('.', '')}-{name}"
    section.plot(file, plot.lines(f"Figure {title}", name, "CPU ms",
                                  list(times.items()), log_x=10, log_y=10),
                 f"time of engines with and without tree by number of {name}")


def sweeps(lab, section):
    """Figures 5.1 to 5.3, over traces."""
    section.say("`deadheat analyze` over traces of the programs in the figures: CPU "
                "milliseconds of an engine alone and behind a filter, the memory that "
                "`tree` adds to the process, and the share of accesses that are skipped.")
    for title, style in FIGURES:
        for name, values in SWEEPS:
            sweep(lab, section, title, style, name, values)


def live_sweeps(lab, section):
    """The same in the running program, by number of threads and of locks."""
    section.of_rounds = "Median"
    ways = live_ways(lab, "djit")
    names = [w.name for w in ways[1:]]
    if len(names) < 2:
        return
    for program in ("tree_common", "tree_private_race"):
        rows = []
        for threads, locks in ((4, 1), (4, 10), (4, 100), (16, 10), (64, 10)):
            arguments = (threads, lab.args.scale, locks)
            best = lab.typical(ways, program, arguments)
            rows.append([f"{threads}, {locks}",
                         *(best[n][CPU] * 1000 if n in best else None for n in names),
                         *(skipped(lab.counters(n, program, arguments))
                           for n in names[1:])])
        section.say(f"`{program}`, CPU milliseconds of `djit` behind each filter, and "
                    "accesses skipped in percent:")
        filters = [n.split(", ")[1] for n in names]
        section.table(["threads, locks", *(f"`{f}`" for f in filters),
                       *(f"% `{f}`" for f in filters[1:])], rows)


EXPERIMENTS = [("tree-table", table), ("tree-traces", sweeps), ("tree-live", live_sweeps)]
