#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`deadheat predict` and `deadheat analyze`, from outside: random text traces of two to four
threads, and what both commands print of them against the definitions of the contract (strong
order, causally-precedes, correct reorderings), by brute force. Nothing of the project's code
is used but the command itself; DEADHEAT names it.

  contract.py [COUNT [SEED]]     COUNT traces (200), from SEED (1) upwards; prints TAP

One trace in four is read as binary, too. A trace that fails is printed whole.
"""
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile

MODELS = ("hb", "cp", "mc", "rdit")


class Event:
    """One line of a trace."""

    def __init__(self, thread, op, arg, reach=(), loc="", value=None):
        self.thread, self.op, self.arg = thread, op, arg
        self.reach, self.loc, self.value = reach, loc, value
        self.counts = True  # for locks: outermost of its mode

    def line(self):
        arg = self.arg + (":" + ",".join(self.reach) if self.reach else "")
        value = "" if self.value is None else f"={self.value}"
        return f"{self.thread}|{self.op}({arg}){value}|{self.loc}"

    def is_access(self):
        return self.op in ("r", "w")


# ---- random traces ----

KINDS = {
    "plain": "r r r w w w".split(),
    "lock": "acq rel rel".split(),
    "rwlock": "acq rel rel rdacq rdrel rdrel".split(),
    "thread": "fork join".split(),
    "message": "snd rcv".split(),
    "barrier": "benter bleave".split(),
    "volatile": "vr vw".split(),
    "alloc": ["alloc"],
    "missing": "mb mb me me".split(),
}


class World:
    """What may come next in a trace that makes sense."""

    def __init__(self):
        self.begun, self.joined = set(), set()
        self.held = {}  # (lock, mode) -> {thread: depth}
        self.calls = {}  # thread -> names
        self.inside = {}  # barrier -> threads
        self.leaving = {}

    def takes_lock(self, e):
        others = set(self.held.get((e.arg, "w"), {})) - {e.thread}
        if e.op == "acq":
            others |= set(self.held.get((e.arg, "r"), {})) - {e.thread}
        if others:
            return False
        mode = self.held.setdefault((e.arg, "w" if e.op == "acq" else "r"), {})
        mode[e.thread] = mode.get(e.thread, 0) + 1
        e.counts = mode[e.thread] == 1
        return True

    def frees_lock(self, e):
        mode = self.held.get((e.arg, "w" if e.op == "rel" else "r"), {})
        if e.thread not in mode:
            return False
        mode[e.thread] -= 1
        e.counts = mode[e.thread] == 0
        if e.counts:
            del mode[e.thread]
        return True

    def barrier(self, e):
        """Like a real one: nobody enters while others leave."""
        inside = self.inside.setdefault(e.arg, set())
        if e.op == "benter":
            if e.thread in inside or self.leaving.get(e.arg):
                return False
            inside.add(e.thread)
        else:
            if e.thread not in inside:
                return False
            inside.discard(e.thread)
            self.leaving[e.arg] = bool(inside)
        return True

    def call(self, e):
        open_calls = self.calls.setdefault(e.thread, [])
        if e.op == "mb":
            open_calls.append(e.arg)
            return True
        if not open_calls or open_calls[-1] != e.arg:
            return False
        open_calls.pop()
        return True

    def thread(self, e):
        if e.arg == e.thread:
            return False
        if e.op == "join":
            self.joined.add(e.arg)
            return True
        if e.arg in self.begun or e.arg in self.joined:
            return False
        self.begun.add(e.arg)
        return True

    def takes(self, e):
        if e.thread in self.joined:
            return False
        if e.op in ("acq", "rdacq"):
            fine = self.takes_lock(e)
        elif e.op in ("rel", "rdrel"):
            fine = self.frees_lock(e)
        elif e.op in ("benter", "bleave"):
            fine = self.barrier(e)
        elif e.op in ("mb", "me"):
            fine = self.call(e)
        else:
            fine = e.op not in ("fork", "join") or self.thread(e)
        if fine:
            self.begun.add(e.thread)
        return fine


def random_trace(rng):
    threads = [f"T{i}" for i in range(rng.choice((2, 2, 3, 3, 4)))]
    variables = ["x", "y", "z"][:rng.randint(1, 3)]
    size = rng.randint(4, 16 - 2 * len(threads) + 4)
    kinds = {"plain"} | set(rng.sample(sorted(KINDS), rng.randint(1, 4)))
    ops = [op for k in sorted(kinds) for op in KINDS[k]]
    places = rng.choice((0, 2, 3, 99, 99))
    world, trace = World(), []
    for _ in range(60 * size):
        if len(trace) == size:
            break
        e = Event(rng.choice(threads), rng.choice(ops), "")
        if e.is_access() or e.op == "alloc":
            e.arg = rng.choice(variables)
        elif e.op in ("fork", "join"):
            e.arg = rng.choice(threads)
            if e.op == "join" and rng.random() < 0.7:
                continue
        else:
            e.arg = rng.choice(("a", "b"))
        if e.op == "mb":
            e.reach = rng.sample(variables, rng.randint(0, len(variables)))
        if not world.takes(e):
            continue
        if places and rng.random() < 0.95:
            e.loc = f"f.c:{len(trace) if places == 99 else rng.randrange(places)}"
        trace.append(e)
    return trace


def put_values(trace, rng):
    """None, all, or some; as a run in the order of the trace would have them."""
    mode = rng.choice(("none", "all", "all", "some"))
    memory = {}
    start = rng.choice((0, 1))
    for e in trace:
        if e.op == "alloc":
            memory.pop(e.arg, None)
        if e.op == "w":
            memory[e.arg] = rng.randint(0, 2)
        if e.is_access() and (mode == "all" or mode == "some" and rng.random() < 0.7):
            e.value = memory.get(e.arg, start)


# ---- what a trace means ----

class Facts:
    """Lives of variables, episodes, sources of reads, pairs of calls, by index."""

    def __init__(self, trace):
        self.trace = trace
        self.threads = {}
        self.place = []
        for i, e in enumerate(trace):
            own = self.threads.setdefault(e.thread, [])
            self.place.append(len(own))
            own.append(i)
        self.find_lives()
        self.find_episodes()
        self.find_calls()

    def find_lives(self):
        self.life, self.source = {}, {}
        life, last = {}, {}
        for i, e in enumerate(self.trace):
            if e.op == "alloc":
                life[e.arg] = i
                last.pop(e.arg, None)
                self.life[i] = i
            if e.is_access():
                self.life[i] = life.get(e.arg, -1)
                self.source[i] = last.get(e.arg)
                if e.op == "w":
                    last[e.arg] = i

    def find_episodes(self):
        self.episode = {}
        number, left = {}, {}
        for i, e in enumerate(self.trace):
            if e.op == "benter":
                if left.get(e.arg):
                    number[e.arg] = number.get(e.arg, 0) + 1
                    left[e.arg] = False
                self.episode[i] = number.get(e.arg, 0)
            if e.op == "bleave":
                self.episode[i] = number.get(e.arg, 0)
                left[e.arg] = True

    def find_calls(self):
        """Of each event the variables of all pairs that it is an event of."""
        self.calls = [set() for _ in self.trace]
        for own in self.threads.values():
            stack = []
            for i in own:
                e = self.trace[i]
                if e.op == "mb":
                    stack.append(set(e.reach))
                self.calls[i] = set().union(*stack)
                if e.op == "me":
                    stack.pop()

    def conflict(self, i, j):
        a, b = self.trace[i], self.trace[j]
        return (a.is_access() and b.is_access() and a.arg == b.arg and
                a.thread != b.thread and "w" in (a.op, b.op) and
                self.life[i] == self.life[j])

    def place_of(self, i):
        return self.trace[i].loc or i

    def message_edge(self, i, j):
        """Fork, join, snd/rcv, barriers: i, before j in the trace, comes before it."""
        a, b = self.trace[i], self.trace[j]
        if a.op == "fork" and (a.arg == b.thread or b.op == "join" and b.arg == a.arg):
            return True
        if b.op == "join" and b.arg == a.thread:
            return True
        if a.arg != b.arg:
            return False
        if (a.op, b.op) == ("snd", "rcv"):
            return True
        return (a.op, b.op) == ("benter", "bleave") and self.episode[i] == self.episode[j]

    def lock_edge(self, i, j):
        a, b = self.trace[i], self.trace[j]
        return (a.arg == b.arg and a.counts and b.counts and
                (a.op, b.op) in (("rel", "acq"), ("rel", "rdacq"), ("rdrel", "acq")))


def closure(n, edge):
    """Bit sets: what comes before each event."""
    before = [0] * n
    for j in range(n):
        for i in range(j):
            if edge(i, j):
                before[j] |= before[i] | 1 << i
    return before


def order(f, locks):
    def edge(i, j):
        a, b = f.trace[i], f.trace[j]
        return (a.thread == b.thread or f.message_edge(i, j) or
                (a.op, b.op) == ("vw", "vr") and a.arg == b.arg or
                locks and f.lock_edge(i, j))
    return closure(len(f.trace), edge)


def left_open(f, *orders):
    n = len(f.trace)
    return {(i, j) for j in range(n) for i in range(j)
            if f.conflict(i, j) and not any(o[j] >> i & 1 for o in orders)}


# ---- causally-precedes ----

def sections(f):
    """(acquire, release or None, all of its events)"""
    out = []
    for own in f.threads.values():
        for k, i in enumerate(own):
            a = f.trace[i]
            if a.op not in ("acq", "rdacq") or not a.counts:
                continue
            end = "rel" if a.op == "acq" else "rdrel"
            events, release = [], None
            for j in own[k:]:
                events.append(j)
                b = f.trace[j]
                if b.op == end and b.arg == a.arg and b.counts:
                    release = j
                    break
            out.append((i, release, events))
    return out


def causally_precedes(f, strong):
    n = len(f.trace)
    cp = [0] * n  # what causally precedes each event
    known = sections(f)
    while True:
        was = list(cp)
        for (_, r, first), (a, _, second) in itertools.permutations(known, 2):
            if (r is not None and r < a and f.lock_edge(r, a) and
                    f.trace[r].thread != f.trace[a].thread and
                    any(f.conflict(x, y) or cp[y] >> x & 1 for x in first for y in second)):
                cp[a] |= 1 << r
        for j in range(n):
            for i in range(j):
                if cp[j] >> i & 1:
                    cp[j] |= strong[i] | cp[i]
                if strong[j] >> i & 1:
                    cp[j] |= cp[i]
        if cp == was:
            return cp


# ---- correct reorderings ----

class Search:
    """Every correct reordering of a part of the trace, one event at a time."""

    def __init__(self, f, methods):
        self.f, self.methods = f, methods
        n = len(f.trace)
        self.before = [[i for i in range(j) if self.must(i, j)] for j in range(n)]

    def must(self, i, j):
        f = self.f
        a, b = f.trace[i], f.trace[j]
        if f.message_edge(i, j):
            return True
        if a.op[0] == "v" and b.op[0] == "v" and a.arg == b.arg and "vw" in (a.op, b.op):
            return True
        if a.op == "alloc" and b.is_access() and a.arg == b.arg and f.life[j] == i:
            return True
        if not self.methods or a.thread == b.thread:
            return False
        return bool(f.calls[i] & f.calls[j] or a.is_access() and a.arg in f.calls[j] or
                    b.is_access() and b.arg in f.calls[i])

    def start(self):
        return {t: 0 for t in self.f.threads}, {}

    def lock_is_free(self, at, e):
        """Nobody else is in a section of the lock that excludes this one."""
        for thread, own in self.f.threads.items():
            if thread == e.thread:
                continue
            depth = {"acq": 0, "rdacq": 0}
            for i in own[:at[thread]]:
                o = self.f.trace[i]
                if o.arg == e.arg and o.op in depth:
                    depth[o.op] += 1
                if o.arg == e.arg and o.op in ("rel", "rdrel"):
                    depth["acq" if o.op == "rel" else "rdacq"] -= 1
            if depth["acq"] or e.op == "acq" and depth["rdacq"]:
                return False
        return True

    def is_done(self, at, i):
        return at[self.f.trace[i].thread] > self.f.place[i]

    def is_ready(self, at, i):
        e = self.f.trace[i]
        if at[e.thread] != self.f.place[i] or not all(self.is_done(at, o)
                                                      for o in self.before[i]):
            return False
        return e.op not in ("acq", "rdacq") or self.lock_is_free(at, e)

    def reads_right(self, at, memory, i):
        e = self.f.trace[i]
        if e.op != "r":
            return True
        if self.f.source[i] is None:
            return all(self.is_other_life(o, i) or not self.is_done(at, o) or
                       e.value is not None and self.f.trace[o].value == e.value
                       for o in range(len(self.f.trace)))
        now = memory.get((e.arg, self.f.life[i]))
        if now is None or now == self.f.source[i]:
            return now is not None
        return e.value is not None and self.f.trace[now].value == e.value

    def is_other_life(self, o, i):
        e = self.f.trace[o]
        return e.op != "w" or e.arg != self.f.trace[i].arg or self.f.life[o] != self.f.life[i]

    def step(self, at, memory, i):
        e = self.f.trace[i]
        at = {**at, e.thread: at[e.thread] + 1}
        if e.op == "w":
            memory = {**memory, (e.arg, self.f.life[i]): i}
        return at, memory

    def races(self):
        found, seen, todo = set(), set(), [self.start()]
        while todo:
            at, memory = todo.pop()
            key = (tuple(at.values()), tuple(sorted(memory.items())))
            if key in seen:
                continue
            seen.add(key)
            ready = [own[at[t]] for t, own in self.f.threads.items()
                     if at[t] < len(own) and self.is_ready(at, own[at[t]])]
            for i, j in itertools.combinations(sorted(ready), 2):
                if self.f.conflict(i, j):
                    found.add((i, j))
            todo += [self.step(at, memory, i) for i in ready
                     if self.reads_right(at, memory, i)]
        return found

    def accepts(self, witness):
        at, memory = self.start()
        for i in witness[:-2]:
            if not self.is_ready(at, i) or not self.reads_right(at, memory, i):
                return False
            at, memory = self.step(at, memory, i)
        i, j = witness[-2:]
        return self.f.conflict(i, j) and self.is_ready(at, i) and self.is_ready(at, j)


# ---- comparing ----

def run(*args):
    done = subprocess.run([os.environ["DEADHEAT"], *args], capture_output=True, text=True,
                          timeout=120)
    if done.returncode not in (0, 66):
        raise AssertionError(f"{' '.join(args)}: status {done.returncode}: {done.stderr}")
    out = json.loads(done.stdout)
    return done.returncode, out


def expect(yes, what):
    if not yes:
        raise AssertionError(what)


def check_access(f, one, i):
    e = f.trace[i]
    expect(one == {**one, "index": i, "thread": e.thread, "op": e.op, "loc": e.loc},
           f"event {i} is shown as {one}")


def check_race(f, race, grade):
    i, j = race["first"]["index"], race["second"]["index"]
    expect(i < j and race["grade"] == grade and race["var"] == f.trace[i].arg, f"{race}")
    check_access(f, race["first"], i)
    check_access(f, race["second"], j)
    return i, j


def wanted(f, model):
    strong = order(f, True)
    if model == "hb":
        return left_open(f, strong)
    if model == "cp":
        return left_open(f, order(f, False), causally_precedes(f, strong))
    return Search(f, model == "rdit").races()


def check_predict(f, path, model):
    status, out = run("predict", "-q", "-m", model, "--format", "json", path)
    want = wanted(f, model)
    expect(out["model"] == model and out["events"] == len(f.trace), f"{out}")
    expect(out["unknown"] == [], f"{model}: unknown {out['unknown']}")
    expect(status == (66 if want else 0), f"{model}: status {status}")
    places = []
    for race in out["races"]:
        i, j = check_race(f, race, "predicted")
        expect((i, j) in want, f"{model}: ({i}, {j}) cannot race")
        places.append(frozenset((f.place_of(i), f.place_of(j))))
        if model in ("mc", "rdit"):
            w = race["witness"]
            expect(set(w[-2:]) == {i, j} and Search(f, model == "rdit").accepts(w),
                   f"{model}: ({i}, {j}): {w} is no witness")
    expect(len(set(places)) == len(places), f"{model}: a pair of places twice")
    missed = {frozenset((f.place_of(i), f.place_of(j))) for i, j in want} - set(places)
    expect(not missed, f"{model}: misses {missed}")
    return len(places)


def check_analyze(f, path):
    status, out = run("analyze", "-e", "djit,fasttrack,goldilocks,goldilocks-paper,"
                      "racetrack-basic,patent", "--format", "json", path)
    strong = left_open(f, order(f, True))
    first = {}
    for _, j in sorted(strong, key=lambda p: p[1]):
        first.setdefault(f.trace[j].arg, j)
    expect(status == 66 or not strong, f"analyze: status {status}")
    by_name = {e["engine"]: e for e in out["engines"]}
    for name in ("djit", "fasttrack", "goldilocks"):
        got = {}
        for race in by_name[name]["races"]:
            expect(check_race(f, race, "observed") in strong, f"{name}: {race}")
            var, j = race["var"], race["second"]["index"]
            got[var] = min(j, got.get(var, j))
        expect(got == first, f"{name}: {got} and not {first}")
    verdicts = [[(r["var"], r["grade"], r["second"]["index"]) for r in by_name[name]["races"]]
                for name in ("racetrack-basic", "patent")]
    expect(verdicts[0] == verdicts[1], f"racetrack-basic, patent: {verdicts}")


def check(trace, where, binary):
    path = os.path.join(where, "t.std")
    with open(path, "w", encoding="ascii") as out:
        out.writelines(e.line() + "\n" for e in trace)
    if binary:
        subprocess.run([os.environ["DEADHEAT"], "print", "-o", path + ".dht", path],
                       check=True)
        path += ".dht"
    f = Facts(trace)
    check_analyze(f, path)
    return [check_predict(f, path, m) for m in MODELS]


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    total = [0] * len(MODELS)
    failed = 0
    with tempfile.TemporaryDirectory() as where:
        for number in range(seed, seed + count):
            rng = random.Random(number)
            trace = random_trace(rng)
            put_values(trace, rng)
            try:
                total = [a + b for a, b in zip(total, check(trace, where, number % 4 == 0))]
            except AssertionError as wrong:
                failed += 1
                print(f"# seed {number}: {wrong}")
                print("".join(f"#   {e.line()}\n" for e in trace), end="")
    print(f"# {count} traces; pairs of places: " +
          ", ".join(f"{m} {n}" for m, n in zip(MODELS, total)))
    print("1..1")
    print(("not ok" if failed else "ok") + " 1 - the commands and the contract agree")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
