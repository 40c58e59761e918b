# SPDX-License-Identifier: MIT
"""What an experiment has to say: Markdown and pictures. It is printed, or put into a page of
docs/bench between the lines

    <!-- measured: NAME -->
    <!-- end of NAME -->

whose other text stays as it is.
"""
import os
import re
import sys


def machine():
    """Processor, cores, and how busy they were."""
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        models = re.findall(r"^model name\s*: (.*)$", f.read(), re.M)
    cores = len(os.sched_getaffinity(0))
    return f"{models[0] + ', ' if models else ''}{cores} cores, load {os.getloadavg()[0]:.1f}"


def cell(value):
    if value is None:
        return "–"
    if isinstance(value, float):
        size = abs(value)
        return f"{value:.3f}" if size < 0.1 else f"{value:.2f}" if size < 100 else \
            f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else value


class Section:
    def __init__(self, name, page, lab, folder):
        """folder: of the pages; None to print."""
        self.name, self.page, self.lab, self.folder = name, page, lab, folder
        self.parts = []
        self.of_rounds = "Best"
        self.machine = machine()
        lab.notes.clear()

    def say(self, text):
        self.parts.append(text + "\n")

    def table(self, titles, rows):
        """Numbers to the right; the first column to the left. None is a dash."""
        lines = ["| " + " | ".join(titles) + " |",
                 "| --- |" + " ---: |" * (len(titles) - 1)]
        lines += ["| " + " | ".join(cell(c) for c in row) + " |" for row in rows]
        self.parts.append("\n".join(lines) + "\n")

    def plot(self, name, svg, words):
        """A picture, in the folder of the pages or of the build."""
        folder = self.folder or os.path.join(self.lab.build, "bench", "plots")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, name + ".svg"), "w", encoding="utf-8") as f:
            f.write(svg)
        where = "" if self.folder else folder + "/"
        self.parts.append(f"![{words}]({where}{name}.svg)\n")

    def close(self):
        if self.parts:
            args = self.lab.args
            how = f"{self.of_rounds} of {args.rounds}, scale {args.scale}; " * (self.name != "soak")
            self.say(f"{how}{self.machine}.")
        if self.lab.notes:
            self.parts.append("\n".join(f"- {n}." for n in self.lab.notes) + "\n")
        text = "\n".join(self.parts)
        if not self.folder:
            print(f"### {self.name}\n\n{text}", flush=True)
            return
        path = os.path.join(self.folder, self.page + ".md")
        with open(path, encoding="utf-8") as f:
            old = f.read()
        first, last = f"<!-- measured: {self.name} -->\n", f"<!-- end of {self.name} -->"
        made, times = re.subn(re.escape(first) + ".*?" + re.escape(last),
                              lambda _: first + "\n" + text + "\n" + last, old, flags=re.S)
        if times != 1:
            sys.exit(f"{path}: has no place for {self.name}: the lines `{first.strip()}` and"
                     f" `{last}`")
        with open(path, "w", encoding="utf-8") as f:
            f.write(made)
        print(f"{self.name}: written to {path}", file=sys.stderr)
