"""Short programs that compute what a picture of the lab shows, with numpy and nothing of this project.

Each has its settings in one line, `@settings@` here, is at most 30 lines long, and prints the CSV file of its picture.
"""

from __future__ import annotations

import json

import numpy as np

from dprelease.adversaries.suppression import Suppressed, hidden
from dprelease.extras.lab.clinic import PATIENTS
from dprelease.extras.lab.curves import HEAD, epsilons
from dprelease.extras.lab.experiment import KNOWN, AttackRun
from dprelease.extras.lab.worlds import TABLES, table, visits

SETTINGS, VISITS, TABLE = "@settings@", "@visits@", "@table@"
PRINTED = f'print("{HEAD}")\n'
BOUND = "1 / (1 + np.exp(-epsilon))"

DIFFERENCE = f"""import numpy as np

{SETTINGS}
others = 6 if world in ("sigerico", "turismundo", "eurico", "amalarico") else 5  # adults beside the target
kind, size = defence.partition("-")[0], int(defence.partition("-")[2] or 0)


def answer(count):  # the chances of what is published; none where it is hidden
    found = np.zeros(40)
    if kind == "rounded":
        found[size * ((2 * count + size) // (2 * size))] = 1
    elif kind == "random":
        found[[count - count % size, count - count % size + size]] = 1 - count % size / size, count % size / size
    elif kind == "uniform":
        found[count - size : count + size + 1] = 1 / (2 * size + 1)
    elif kind != "suppressed" or count >= size:
        found[count] = 1
    return found


{PRINTED}if defence != "private":
    there, back = answer(others + 1), answer(others)[::-1]
    apart = np.maximum(np.convolve(there, back), np.convolve(back[::-1], back)).sum() / 2
    won = 1 - size / 200 if kind == "swapped" else max(0.5, apart)
    print(defence, "", 0.5, won, 1.0, sep=",")
for epsilon in epsilons:  # each of two answers costs half of it
    r = np.exp(-epsilon / 2)
    won = (1 + ((1 - r) / (1 + r)) ** 2 * (1 + r * r) / (1 - r * r)) / 2
    print("private", epsilon, 0.5, won, {BOUND}, sep=",")
"""

TRACKER = f"""import numpy as np

{SETTINGS}
ages = dict(ataulfo=43, sigerico=15, walia=50, teodoredo=51, turismundo=16)
ages |= dict(teodorico=40, eurico=14, alarico=49, gesaleico=69, amalarico=17)
older, adult = sum(age > ages[world] for age in ages.values()), ages[world] >= 18
asked = {{"names": [10, 9], "ages": [older + 1, older], "padding": [7 - adult, 4 + adult, 6, 4]}}[number]
kind, _, least = defence.partition("-")
most = 10 - int(least) if kind == "between" else 10

{PRINTED}if defence != "private":
    found = kind == "exact" or all(int(least) <= each <= most for each in asked)
    print(defence, "", 1 / 11, 1.0 if found else 1 / 11, 1.0, sep=",")
for epsilon in epsilons:
    scale = 20 / epsilon  # a salary is one of 0 to 10 hundreds; each of two sums costs half of ε
    far, q = np.abs(np.arange(-int(100 * scale) - 20, int(100 * scale) + 21)), np.exp(-1 / scale)
    noise = q**far * (far + (1 + q * q) / (1 - q * q))  # of the difference of two sums
    noise /= noise.sum()
    won = np.max([np.roll(noise, place) for place in range(11)], axis=0).sum() / 11
    print("private", epsilon, 1 / 11, won, 1 / (1 + 10 * np.exp(-epsilon)), sep=",")
"""

REPEAT = f"""from math import exp, lgamma, log
import numpy as np
{SETTINGS}
others, copies = {{"kings": 5, "eve": 47}}[world], int(number)
kind, _, size = defence.partition("-")
size = int(size or 0)


def yeses(p):  # the chances of 0, 1, 2, … of so many answers
    ways = (lgamma(copies + 1) - lgamma(i + 1) - lgamma(copies - i + 1) for i in range(copies + 1))
    return np.array([exp(way + i * log(p) + (copies - i) * log(max(1 - p, 1e-300))) for i, way in enumerate(ways)])


def told(p, q):
    return np.maximum(yeses(p), yeses(q)).sum() / 2


{PRINTED}if defence not in ("each", "private"):
    won = told(others % 3 / 3, (others % 3 + 1) / 3) if kind == "random" else 1.0
    if kind == "uniform":
        won = (2 - (1 - 1 / (2 * size + 1)) ** copies) / 2
    elif kind == "rounded" and (2 * others + size) // (2 * size) == (2 * others + 2 + size) // (2 * size):
        won = 0.5
    print(defence, "", 0.5, won, 1.0, sep=",")
for kind, parts in [("each", 1)] * (defence == "each") + [("private", copies)]:
    for epsilon in epsilons:
        yes = 1 / (1 + np.exp(-epsilon / parts))  # each answer is as good as a randomised response
        print(kind, epsilon, 0.5, told(yes, 1 - yes), 1 / (1 + np.exp(-epsilon * copies / parts)), sep=",")
"""

UNIFORMS = """def uniforms(seed, *shape):  # SplitMix64
    z = np.uint64(int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8], "little"))
    z = z + np.uint64(0x9E3779B97F4A7C15) * np.arange(1, np.prod(shape) + 1, dtype=np.uint64)
    for shift, factor in (30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB):
        z = (z ^ z >> np.uint64(shift)) * np.uint64(factor)
    return (((z ^ z >> np.uint64(31)) >> np.uint64(11)).astype(float) + 0.5).reshape(shape) / 2.0**53
"""

RECONSTRUCT = f"""import hashlib, numpy as np
{SETTINGS}
people, questions, size = int(world), round(int(world) * float(number)), int(defence.partition("-")[2] or 0)
variances = dict(rounded=(size**2 - 1) / 12, random=(size**2 - 1) / 6, uniform=size * (size + 1) / 3)
{UNIFORMS}def right(kind, epsilon, run):
    truth = (uniforms(f"people/{{people}}/{{run}}", people) < 0.5) * 1.0
    asked = (uniforms(f"asked/{{people}}/{{questions}}/{{run}}", questions, people) < 0.5) * 1.0
    u = uniforms(f"noise/{{people}}/{{questions}}/{{run}}", people if kind == "swapped" else questions)
    known, q = truth.copy(), np.exp(-(epsilon or 1) / questions)
    if kind == "swapped":
        known[u < size / 100] = np.roll(truth[u < size / 100], 1)
    variances["private"], told = 2 * q / (1 - q) ** 2, asked @ known
    if kind == "private":
        far = np.log(np.where(u * (1 + q) < q, u, 1 - u) * (1 + q)) / np.log(q)
        told += np.where(u * (1 + q) < q, -np.floor(far), np.maximum(np.ceil(far) - 1, 0))
    inner = asked @ asked.T + max(4 * variances.get(kind, 0), 1e-6) * np.eye(questions)
    if kind in ("rounded", "random", "uniform"):
        near = size * (told // size + ((0.5 if kind == "rounded" else u) <= told % size / size))
        told = told + np.floor(u * (2 * size + 1)) - size if kind == "uniform" else near
    return np.mean((asked.T @ np.linalg.solve(inner, told - asked.sum(axis=1) / 2) > 0) == truth)
{PRINTED}for kind, epsilon in [(defence, 0)] * (defence != "private") + [("private", each) for each in epsilons]:
    won = np.mean([right(kind.partition("-")[0], epsilon, run) for run in range(800 // people)])
    print(kind, epsilon or "", 0.5, won, {BOUND} if epsilon else 1.0, sep=",")
"""

MEMBERSHIP = f"""import hashlib
import numpy as np
{SETTINGS}
people, attributes = int(world), int(number)
{UNIFORMS}
def right(epsilon, group):
    name = f"{{people}}/{{attributes}}/0/{{group}}"
    frequent = 0.2 + 0.6 * uniforms(f"frequent/{{name}}", attributes)
    both = (uniforms(f"genome/{{name}}", 2 * people, attributes) < frequent) * 1.0
    told = both[:people].sum(axis=0)
    if epsilon:
        u, q = uniforms(f"noise/{{name}}", attributes), np.exp(-epsilon / attributes)
        below, above = np.log(u * (1 + q)) / np.log(q), np.log((1 - u) * (1 + q)) / np.log(q)
        told += np.where(u * (1 + q) < q, -np.floor(below), np.maximum(np.ceil(above) - 1, 0))
    scores = (both - frequent) @ ((told / people - frequent) / (frequent * (1 - frequent)))
    return np.mean((scores > attributes / people / 2) == (np.arange(2 * people) < people))


{PRINTED}for epsilon in ([] if defence == "private" else [None]) + epsilons:
    won = np.mean([right(epsilon, group) for group in range(400 // people)])
    most = {BOUND} if epsilon else 1.0
    print("private" if epsilon else defence, epsilon or "", 0.5, won, most, sep=",")
"""

HADAMARD = f"""from math import erf

import numpy as np

{SETTINGS}
people, kind, size = int(world), defence.partition("-")[0], int(defence.partition("-")[2] or 0)
variances = dict(rounded=(size**2 - 1) / 12, random=(size**2 - 1) / 6, uniform=size * (size + 1) / 3, exact=0)


def right(variance):  # of n bits by the n sums of a Hadamard matrix, each with noise
    return (1 + erf(np.sqrt(people / variance / 32))) / 2 if variance else 1.0


{PRINTED}if defence != "private":
    print(defence, "", 0.5, right(variances[kind]), 1.0, sep=",")
for epsilon in epsilons:
    q, most = np.exp(-epsilon / people), {BOUND}
    print("private", epsilon, 0.5, min(most, right(2 * q / (1 - q) ** 2)), most, sep=",")
"""

SCORES = f"""from math import erf

import numpy as np

{SETTINGS}
people, attributes = int(world), int(number)


def right(variance):  # by the scores of Homer et al., of attributes that half of the people have
    return (1 + erf(np.sqrt(attributes / (people + 4 * variance)) / 8**0.5)) / 2


{PRINTED}if defence != "private":
    print(defence, "", 0.5, right(0), 1.0, sep=",")
for epsilon in epsilons:
    q, most = np.exp(-epsilon / attributes), {BOUND}
    print("private", epsilon, 0.5, min(most, right(2 * q / (1 - q) ** 2)), most, sep=",")
"""

TWICE = f"""import numpy as np

{SETTINGS}
rows = \"\"\"{VISITS}\"\"\"
names, kind = dict(ages="abcdefghijklmnopqrst", wards="esmbp", regions="nsewa"), defence.partition("-")[0]
size, columns = int(defence.partition("-")[2] or 0), world.split("-")
patients = [[dict(ages=word[0], regions=word[2], wards=ward) for ward in word[3:]] for word in rows.split()]
own = [np.zeros([len(names[each]) for each in columns], int) for _ in patients]
for table, patient in zip(own, patients):
    for visit in patient:
        table[tuple(names[each].index(visit[each]) for each in columns)] += 1
whole, cells = sum(own), own[0].size
hidden = lambda counts: (kind == "suppressed") & (counts > 0) & (counts < size)
{PRINTED}if defence != "private":
    told = [~hidden(whole) & ~hidden(whole - table) for table in own]  # or what moves a rounded count
    if kind == "rounded":
        told = [(2 * whole + size) // (2 * size) != (2 * (whole - table) + size) // (2 * size) for table in own]
    share = np.mean([shown[table > 0].all() for shown, table in zip(told, own)])
    print(defence, "", 1 / cells, share + (1 - share) / cells, 1.0, sep=",")
for epsilon in epsilons:
    far, q = np.abs(np.arange(-int(180 / epsilon) - 4, int(180 / epsilon) + 5)), np.exp(-epsilon / 2)
    fall = (1 - q) ** 2 / (1 + q) ** 2 * q**far * (far + (1 + q * q) / (1 - q * q))  # of two tables, in each cell
    least = np.maximum(np.cumsum(fall), fall)
    best = -(least**cells) * np.expm1(cells * np.log1p(-np.minimum(fall / least, 1 - 1e-16))) / (cells * fall)
    won = (fall[:-1] * best[1:]).sum()
    print("private", epsilon, 1 / cells, won, 1 / (1 + (cells - 1) * np.exp(-2 * epsilon)), sep=",")
"""

SMALL_PRIVATE = """for epsilon in epsilons:
    noise = np.exp(-epsilon * np.abs(np.arange(-int(45 / epsilon) - 6, int(45 / epsilon) + 7)))
    won = np.max([np.roll(noise / noise.sum(), place) for place in range(4)], axis=0).sum() / 4
    most = (4 - 2 * np.exp(-epsilon)) / (4 + 4 * np.exp(-epsilon))  # no channel of that epsilon does better
    print("private", epsilon, 0.25, won, most, sep=",")
"""

CELLS = f"""import numpy as np

{SETTINGS}
kind, _, size = defence.partition("-")
size = int(size or 1)


def answer(count):  # the chances of what is published of a count
    found = np.zeros(20)
    if kind == "random":
        found[[count - count % size, count - count % size + size]] = 1 - count % size / size, count % size / size
    else:
        found[size * ((2 * count + size) // (2 * size)) if kind == "rounded" else count] = 1
    return found


{PRINTED}if defence != "private":
    print(defence, "", 0.25, np.max([answer(count) for count in range(1, 5)], axis=0).sum() / 4, 1.0, sep=",")
{SMALL_PRIVATE}"""

HIDDEN = f"""import numpy as np
{SETTINGS}
told = np.array({TABLE})  # hidden cells are below 0 here
counts, (rows, columns) = abs(told), told.shape
def moved(start, end, room):  # by how much other hidden cells make up for one: the largest flow
    room[start, end] = room[end, start] = moves = 0
    while True:
        before, waiting = {{start: start}}, [start]
        for at in waiting:
            new = [each for each in np.flatnonzero(room[at] > 0) if each not in before]
            before.update(dict.fromkeys(new, at))
            waiting.extend(new)
        if end not in before:
            return moves
        at, moves = end, moves + 1
        while at != start:
            room[before[at], at], room[at, before[at]] = room[before[at], at] - 1, room[at, before[at]] + 1
            at = before[at]
room = np.zeros((rows + columns, rows + columns), int)  # how far a cell may rise, and fall
room[:rows, rows:] = np.where(told < 0, np.where(counts < 5, 4, counts.sum()) - counts, 0)
room[rows:, :rows] = np.where(told < 0, counts - 1, 0).T
ends = [(4 - counts[i, j], counts[i, j] - 1, rows + j, i) for i, j in np.argwhere((told < 0) & (counts < 5))]
left = [1 + min(up, moved(j, i, room.copy())) + min(down, moved(i, j, room.copy())) for up, down, j, i in ends]
{PRINTED}print(defence, "", 0.25, np.mean(1 / np.array(left)), 1.0, sep=",")
{SMALL_PRIVATE}"""


def snippet(chosen: AttackRun) -> str:
    """Return the program for one choice."""
    return template(chosen).replace(SETTINGS, settings(chosen)).replace(TABLE, hidden_table(chosen))


def template(chosen: AttackRun) -> str:
    """Return the program without its settings, and without what was published of a table with hidden cells."""
    hides = chosen.attack == "cells" and isinstance(KNOWN.get(chosen.defence), Suppressed)
    text = HIDDEN if hides else TEMPLATES[chosen.attack]
    return text.replace(VISITS, PATIENTS.strip().replace("\n", " "))


def settings(chosen: AttackRun) -> str:
    named = ", ".join(json.dumps(part) for part in (chosen.world, chosen.defence, chosen.number))
    return f"world, defence, number, epsilons = {named}, [{', '.join(f'{each:g}' for each in epsilons(chosen))}]"


def hidden_table(chosen: AttackRun) -> str:
    """Return a table of two columns with what a rule hides below 0; nothing where none is hidden."""
    rule = KNOWN.get(chosen.defence)
    if chosen.attack != "cells" or not isinstance(rule, Suppressed):
        return ""
    counts = table(TABLES[chosen.world], list(visits()))
    return json.dumps(np.where(hidden(counts, rule), -counts, counts).tolist(), separators=(",", ":"))


TEMPLATES = {
    "difference": DIFFERENCE,
    "tracker": TRACKER,
    "repeat": REPEAT,
    "reconstruct": RECONSTRUCT,
    "membership": MEMBERSHIP,
    "cells": CELLS,
    "twice": TWICE,
    "hadamard": HADAMARD,
    "scores": SCORES,
}
