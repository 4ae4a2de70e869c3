"""Short programs that compute the two distributions of a mechanism, with numpy and nothing of this project.

As in `snippets`, each prints the CSV file of its picture and has its settings in one line.
"""

from __future__ import annotations

from dprelease.extras.lab.two_tables import HERE, OTHERS, REACH, SCORES

SETTINGS = "@settings@"
TOLD = """with np.errstate(divide="ignore", invalid="ignore"):
    told = np.where(p == q, 0, np.log(p) - np.log(q)).round(9)
order = np.argsort(-told, kind="stable")  # the test that calls for an output, and for whatever tells more
wrong, missed = np.empty(len(p)), np.empty(len(p))
wrong[order], missed[order] = np.cumsum(q[order]), 1 - np.cumsum(p[order])
print("value,p,q,false_alarms,missed")
for row in zip(values, p, q, np.clip(wrong, 0, 1), np.clip(missed, 0, 1)):
    print(*row, sep=",")
"""
LATTICE = f"""import numpy as np

{SETTINGS}
here, there, r = {HERE}, {HERE} - people, np.exp(-epsilon)
far = dict(laplace=min(int(np.ceil(44 / epsilon)), 200), gaussian=int(np.ceil(9.5 / epsilon)) + people, uniform={REACH})
values = np.arange(there - far[mechanism], here + far[mechanism] + 1)


def chances(count):
    d = np.abs(values - count)
    if mechanism == "uniform":
        return np.where(d <= {REACH}, 1 / {2 * REACH + 1}, 0)
    if mechanism == "gaussian":
        whole = np.exp(-((epsilon * np.arange(-2 * far["gaussian"], 2 * far["gaussian"] + 1)) ** 2) / 2).sum()
        return np.exp(-((epsilon * d) ** 2) / 2) / whole
    found = (1 - r) / (1 + r) * r**d
    found[[0, -1]] = r ** d[[0, -1]] / (1 + r)  # with all that lies beyond
    return found


p, q = chances(here), chances(there)
{TOLD}"""
CHOICE = f"""from itertools import permutations

import numpy as np
{SETTINGS}
scores, others = np.array({list(SCORES)}), np.array({list(OTHERS)})


def chances(score):
    coins = np.exp(epsilon / 2 * (score - score.max()))
    if mechanism == "exponential":
        return coins / coins.sum()
    orders, found = list(permutations(range(len(score)))), np.zeros(len(score))
    for order in orders:  # the first whose coin falls so
        for place, each in enumerate(order):
            found[each] += coins[each] * np.prod(1 - coins[list(order[:place])]) / len(orders)
    return found

yes = 1 / (1 + np.exp(-epsilon))
p, q = chances(scores), chances(others)
if mechanism == "response":
    p, q = np.array([1 - yes, yes]), np.array([yes, 1 - yes])
values = range(len(p))
{TOLD}"""
CONTINUOUS = f"""from math import erfc

import numpy as np

{SETTINGS}
here, there = {HERE}, {HERE} - people
far = min(44 / epsilon, 200) if mechanism == "laplace_real" else 9.5 / epsilon
width = 0.25 if 1 / epsilon <= 2 else 0.5
edges = np.arange(np.floor(there - far), np.ceil(here + far) + width / 2, width)
values = np.append(edges - width / 2, edges[-1] + width / 2)


def chances(count):  # of each cell, from the side on which it is exact
    x = epsilon * (edges - count)
    if mechanism == "gaussian_real":
        return np.diff([erfc(-each / 2**0.5) / 2 for each in x], prepend=0, append=1)
    lower, upper = np.exp(np.minimum(x, 0)) / 2, np.exp(-np.maximum(x, 0)) / 2
    above = -np.diff(upper, prepend=0.5, append=0)
    return np.where(np.append(x, 1) > 0, above, np.diff(lower, prepend=0, append=0.5))


p, q = chances(here), chances(there)
{TOLD}"""
TEMPLATES = {
    **dict.fromkeys(("laplace", "gaussian", "uniform"), LATTICE),
    **dict.fromkeys(("response", "exponential", "permute_and_flip"), CHOICE),
    **dict.fromkeys(("laplace_real", "gaussian_real"), CONTINUOUS),
}


def mechanism_snippet(mechanism: str, epsilon: float, people: int) -> str:
    """Return the program for one mechanism."""
    settings = f'mechanism, epsilon, people = "{mechanism}", {epsilon:g}, {people}'
    return TEMPLATES[mechanism].replace(SETTINGS, settings)
