#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The runner of the papers' experiments: charts that are well formed and show the values,
tables put into their place of a page, and an engine that does not exist named as not run.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import xml.dom.minidom

sys.dont_write_bytecode = True
BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench")
sys.path.insert(0, BENCH)
import plot
from experiments.section import Section
from experiments.soak import compared, readings, speed
from measuring import median

tests = 0


def ok(right, what):
    global tests
    tests += 1
    print(f"{'ok' if right else 'not ok'} {tests} - {what}", flush=True)


class NoLab:
    notes = []
    build = None
    args = argparse.Namespace(rounds=3, scale=100)


def charts():
    svg = plot.lines("A < B", "threads", "ns", [("one", [(1, 10), (4, 20)])], log_x=2)
    page = xml.dom.minidom.parseString(svg)
    dots = [(float(c.getAttribute("cx")), float(c.getAttribute("cy")))
            for c in page.getElementsByTagName("circle")]
    ok(len(dots) == 2 and dots[0][0] < dots[1][0] and dots[0][1] > dots[1][1],
       "a line has its points in order, larger values higher up")
    texts = [t.firstChild.data for t in page.getElementsByTagName("text")]
    ok({"A < B", "threads", "ns", "one", "1", "4", "20"} <= set(texts), "labels and marks")
    svg = plot.bars("B", "times", ["a", "b"], [("p", [("1", [1, 3])])])
    page = xml.dom.minidom.parseString(svg)
    heights = [float(r.getAttribute("height")) for r in page.getElementsByTagName("rect")
               if r.getAttribute("class") in ("f0", "f1")]
    ok(abs(heights[1] / heights[0] - 3) < 0.05, "the parts of a bar have their sizes")
    ok(plot.steps(0, 47) == [0, 10, 20, 30, 40, 50], "round marks")


def pages():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "page.md")
        with open(path, "w", encoding="utf-8") as f:
            f.write("before\n<!-- measured: x -->\nold\n<!-- end of x -->\nafter\n")
        section = Section("x", "page", NoLab(), folder)
        section.table(["name", "value"], [["a", 1234], ["b", None]])
        NoLab.notes.append("`c` was not run: no such engine")
        section.close()
        with open(path, encoding="utf-8") as f:
            text = f.read()
    ok("old" not in text and text.startswith("before\n") and text.endswith("after\n"),
       "a result takes the place of the last one, and of nothing else")
    ok("| a | 1,234 |" in text and "| b | – |" in text, "a table")
    ok("- `c` was not run: no such engine." in text, "what was not run is said")


def runner(build):
    command = [os.path.join(BENCH, "run_papers"), build, "-q", "--scale", "1", "-t", "1",
               "--way", "by byte=--engine null", "--way", "by word=--engine nosuch", "--way",
               "multirace=--engine null",
               "multirace-granularity"]
    done = subprocess.run(command, capture_output=True, text=True)
    ok(done.returncode == 0, "an experiment runs" + "\n# ".join(["", *done.stderr.split("\n")]))
    ok("`by word` was not run: no such engine in this build" in done.stdout, "what is missing")
    ok("| threads | byte |" in done.stdout and " word |" not in done.stdout,
       "no numbers for it")
    done = subprocess.run([os.path.join(BENCH, "run_papers"), build, "nosuch"],
                          capture_output=True, text=True)
    ok(done.returncode == 2 and "no such experiment" in done.stderr, "a wrong name")


charts()
pages()
said = readings("60 600 2048 1000\n120 1800 3072 3000\nwrong answers: 0\n")
ok(said == [(60, 600, 2048, 1000), (120, 1800, 3072, 3000)], "what the server says")
ok([speed(said, 0, 120), speed(said, 60, 120)] == [600.0, 600.0],
   "requests per second of processor time")
ok(speed(said, 70, 110) is None, "none where there are no readings")
young = [[(60, 500, 0, 1000), (120, 1700, 0, 2000)], [(60, 0, 0, 0), (120, 0, 0, 0)]]
ok(compared(said, young, 120, 60) == [50.0, None], "an old process beside a young one")
ok(median([(3, 1), (1, 9), (2, 5)]) == (2, 5), "the median, one by one")
runner(sys.argv[1])
print(f"1..{tests}")
