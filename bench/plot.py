# SPDX-License-Identifier: MIT
"""Line and bar charts as SVG, by hand: no library is needed to make or to show them. The
colours are chosen for light and for dark pages, and follow the reader's setting.
"""
import math
from html import escape

WIDE, HIGH = 720, 400
LEFT, RIGHT, TOP, BOTTOM = 64, 150, 44, 52  # margins around the plotted area
COLOURS = [("#1f5fbf", "#7fb2ff"), ("#c4500c", "#ff9d5c"), ("#1c7d3f", "#6fd08c"),
           ("#8a3fb0", "#cf9bee"), ("#a3123f", "#ff85a5"), ("#5f5a10", "#d5cb5a"),
           ("#0d7a80", "#62d0d6"), ("#6b6b6b", "#b5b5b5")]
DASHES = ["", "6 3", "2 3", "8 3 2 3"]


def style():
    def rules(shade):
        ink, paper, grid = [("#222", "#fff", "#ddd"), ("#ddd", "#161616", "#3a3a3a")][shade]
        made = [f"text{{fill:{ink}}}", f".page{{fill:{paper}}}", f".grid{{stroke:{grid}}}",
                f".axis{{stroke:{ink}}}"]
        for i, pair in enumerate(COLOURS):
            made.append(f".s{i}{{stroke:{pair[shade]}}}.f{i}{{fill:{pair[shade]}}}")
        return "".join(made)
    return ("<style>text{font:12px sans-serif}.title{font-size:14px;font-weight:bold}"
            ".line{fill:none;stroke-width:2}.end{text-anchor:end}.mid{text-anchor:middle}"
            f"{rules(0)}@media(prefers-color-scheme:dark){{{rules(1)}}}</style>")


def text(x, y, words, kind="", more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}"{more}>{escape(words)}</text>'


def number(value):
    """As short as it can be said on an axis."""
    for unit, name in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= unit:
            return f"{value / (1e3 if name == 'k' else unit):g}{name}"
    return f"{value:g}"


def steps(low, high):
    """Round numbers, about five, that cover [low, high]."""
    raw = (high - low) / 5 or 1
    size = 10 ** math.floor(math.log10(raw))
    step = next(m * size for m in (1, 2, 2.5, 5, 10) if m * size >= raw)
    first = math.floor(low / step)
    last = math.ceil(high / step)
    return [round(i * step, 10) for i in range(first, last + 1)]


class Axis:
    """From values to places. base: None for a linear one, else of the logarithm."""

    def __init__(self, values, start, end, base=None, marks=None, from_zero=False):
        self.start, self.end, self.base = start, end, base
        low, high = min(values), max(values)
        if base:
            low, high = max(low, 1e-9), max(high, 1e-9)
            a, b = (math.floor(math.log(low, base) + 1e-9),
                    math.ceil(math.log(high, base) - 1e-9))
            b = max(b, a + 1)
            self.marks = marks or [base ** i for i in range(a, b + 1)]
            self.low, self.high = float(a), float(b)
            if marks:
                self.low, self.high = math.log(marks[0], base), math.log(marks[-1], base)
        else:
            self.marks = marks or steps(0 if from_zero else low, high)
            self.low, self.high = self.marks[0], self.marks[-1]
        if self.high == self.low:
            self.high += 1

    def at(self, value):
        if self.base:
            value = math.log(max(value, 1e-9), self.base)
        share = (value - self.low) / (self.high - self.low)
        return self.start + min(max(share, 0), 1) * (self.end - self.start)


def frame(title, x_label, y_label, y):
    right = WIDE - RIGHT
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HIGH}" '
             f'role="img"><title>{escape(title)}</title>', style(),
             f'<rect class="page" width="{WIDE}" height="{HIGH}"/>',
             text(LEFT, 24, title, "title")]
    for mark in y.marks:
        at = y.at(mark)
        parts.append(f'<path class="grid" d="M{LEFT} {at:.1f}H{right}"/>')
        parts.append(text(LEFT - 6, at + 4, number(mark), "end"))
    parts.append(f'<path class="axis" d="M{LEFT} {TOP}V{HIGH - BOTTOM}H{right}" '
                 'fill="none"/>')
    parts.append(text((LEFT + right) / 2, HIGH - 12, x_label, "mid"))
    middle = (TOP + HIGH - BOTTOM) / 2
    parts.append(text(16, middle, y_label, "mid", f' transform="rotate(-90 16 {middle})"'))
    return parts


def legend(parts, names, filled):
    for i, name in enumerate(names):
        x, y = WIDE - RIGHT + 14, TOP + 10 + 18 * i
        if filled:
            parts.append(f'<rect class="f{i % len(COLOURS)}" x="{x}" y="{y - 9}" '
                         'width="14" height="10"/>')
        else:
            parts.append(f'<path class="line s{i % len(COLOURS)}" d="M{x} {y - 4}h20" '
                         f'stroke-dasharray="{DASHES[i // 2 % len(DASHES)]}"/>')
        parts.append(text(x + 26, y, name))


def lines(title, x_label, y_label, series, log_x=None, log_y=None, dots=True):
    """A line for each of the series: (name, [(x, y), ...]). log_x, log_y: base of the
    logarithm; with log_x the values of x are the marks."""
    points = [p for _, line in series for p in line]
    xs = sorted({p[0] for p in points})
    x = Axis(xs, LEFT, WIDE - RIGHT - 8, log_x, xs if log_x and len(xs) < 12 else None)
    y = Axis([p[1] for p in points], HIGH - BOTTOM, TOP, log_y, from_zero=True)
    parts = frame(title, x_label, y_label, y)
    for mark in x.marks:
        parts.append(text(x.at(mark), HIGH - BOTTOM + 16, number(mark), "mid"))
    for i, (_, line) in enumerate(series):
        places = [(x.at(a), y.at(b)) for a, b in line]
        path = "L".join(f"{a:.1f} {b:.1f}" for a, b in places)
        colour = i % len(COLOURS)
        parts.append(f'<path class="line s{colour}" d="M{path}" '
                     f'stroke-dasharray="{DASHES[i // 2 % len(DASHES)]}"/>')
        for a, b in places if dots else ():
            parts.append(f'<circle class="f{colour}" cx="{a:.1f}" cy="{b:.1f}" r="3"/>')
    legend(parts, [name for name, _ in series], False)
    return "\n".join([*parts, "</svg>", ""])


def bars(title, y_label, layers, groups):
    """Stacked bars: groups is [(name, [(label, [a value for each layer]), ...]), ...]."""
    tallest = max(sum(values) for _, inner in groups for _, values in inner)
    y = Axis([0, tallest], HIGH - BOTTOM, TOP, from_zero=True)
    parts = frame(title, "", y_label, y)
    room = (WIDE - RIGHT - LEFT) / len(groups)
    for g, (name, inner) in enumerate(groups):
        wide = room * 0.84 / len(inner)
        parts.append(text(LEFT + room * (g + 0.5), HIGH - 16, name, "mid"))
        for i, (label, values) in enumerate(inner):
            x, below = LEFT + room * (g + 0.08) + wide * i, 0
            parts.append(text(x + wide / 2, HIGH - BOTTOM + 15, label, "mid"))
            for k, value in enumerate(values):
                a, b = y.at(below), y.at(below + value)
                parts.append(f'<rect class="f{k}" x="{x + 1:.1f}" y="{b:.1f}" '
                             f'width="{wide - 2:.1f}" height="{max(a - b, 0):.1f}"/>')
                below += value
    legend(parts, layers, True)
    return "\n".join([*parts, "</svg>", ""])
