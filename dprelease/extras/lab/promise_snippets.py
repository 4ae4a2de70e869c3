"""Short programs that compute the two curves of a mechanism, with numpy and nothing of this project.

As in `mechanism_snippets`: each prints the CSV file of its picture and has its settings in one line.
"""

from __future__ import annotations

from dprelease.extras.lab.two_tables import HERE, OTHERS, SCORES

SETTINGS = "@settings@"
HEAD = f"""import numpy as np

{SETTINGS}
"""
LAPLACE = f"""pure, far = epsilon * people, int(45 / epsilon)
values = np.arange({HERE} - people - far, {HERE} + far + 1)
p, q = (np.tanh(epsilon / 2) * np.exp(-epsilon * abs(values - count)) for count in ({HERE}, {HERE} - people))
loss = epsilon * (abs(values - {HERE} + people) - abs(values - {HERE}))
"""
RESPONSE = """pure, yes = epsilon, 1 / (1 + np.exp(-epsilon))
p, q = np.array([1 - yes, yes]), np.array([yes, 1 - yes])
loss = np.array([-epsilon, epsilon])
"""
EXPONENTIAL = f"""pure, scores = epsilon, np.array([{list(SCORES)}, {list(OTHERS)}])
coins = np.exp(epsilon / 2 * (scores - scores.max(1, keepdims=True)))
p, q = coins / coins.sum(1, keepdims=True)
loss = np.log(p / q)
"""
FLIPPED = f"""pure, chances = epsilon, np.zeros((2, 4))
for table, scores in enumerate(np.array([{list(SCORES)}, {list(OTHERS)}])):
    coins = np.exp(epsilon / 2 * (scores - scores.max()))
    for order in permutations(range(4)):  # the first whose coin falls so
        for place, each in enumerate(order):
            chances[table, each] += coins[each] * np.prod(1 - coins[list(order[:place])]) / 24
p, q = chances
loss = np.log(p / q)
"""
SUMS = """

def divergence(p, loss, order):
    if order == 1:
        return (p * loss).sum()
    return loss.max() + np.log((p * np.exp((order - 1) * (loss - loss.max()))).sum()) / (order - 1)


coin, told = 1 / (1 + np.exp([-pure, pure])), np.array([pure, -pure])  # what a pure epsilon allows
print("curve,at,own,allowed")
for order in np.arange(1, 10.25, 0.25):
    own = max(divergence(p, loss, order), divergence(q, -loss, order))
    print("renyi", order, own, divergence(coin, told, order), sep=",")
for e in pure * np.arange(41) / 20:
    own = max(np.maximum(one - np.exp(e) * other, 0).sum() for one, other in ((p, q), (q, p)))
    print("delta", e, own, max(0, coin[0] - np.exp(e) * coin[1]), sep=",")
"""
LAPLACE_REAL = """pure = epsilon * people


def divergence(order):
    if order == 1:
        return pure + np.exp(-pure) - 1
    rest = (order - 1) / (2 * order - 1) * np.exp((1 - 2 * order) * pure)
    return pure + np.log(order / (2 * order - 1) + rest) / (order - 1)


def allowed(order):  # a coin of that epsilon
    yes, no = 1 / (1 + np.exp([-pure, pure]))
    if order == 1:
        return (yes - no) * pure
    return pure + np.log(yes + no * np.exp(-2 * (order - 1) * pure)) / (order - 1)


print("curve,at,own,allowed")
for order in np.arange(1, 10.25, 0.25):
    print("renyi", order, divergence(order), allowed(order), sep=",")
for e in pure * np.arange(41) / 20:
    print("delta", e, max(0, 1 - np.exp((e - pure) / 2)), max(0, 1 - np.exp(e - pure)) / (1 + np.exp(-pure)), sep=",")
"""
GAUSSIAN = """pure, far = epsilon * people, int(10 / epsilon) + people
values = np.arange(-2 * far, 2 * far + 1)
p = np.exp(-((epsilon * values) ** 2) / 2)
print("curve,at,own,allowed")
for order in np.arange(1, 10.25, 0.25):
    print("renyi", order, order * pure**2 / 2, "", sep=",")
for e in pure * np.arange(41) / 20:
    loss = epsilon**2 * people * (values + people / 2)  # of one, and as much of the other
    print("delta", e, (p * -np.expm1(np.minimum(e - loss, 0))).sum() / p.sum(), "", sep=",")
"""
GAUSSIAN_REAL = """pure = epsilon * people


def normal(x):
    return erfc(-x / 2**0.5) / 2


print("curve,at,own,allowed")
for order in np.arange(1, 10.25, 0.25):
    print("renyi", order, order * pure**2 / 2, "", sep=",")
for e in pure * np.arange(41) / 20:
    own = normal(pure / 2 - e / pure) - np.exp(e) * normal(-pure / 2 - e / pure)
    print("delta", e, max(0, own), "", sep=",")
"""
TEMPLATES = {
    "laplace": HEAD + LAPLACE + SUMS,
    "response": HEAD + RESPONSE + SUMS,
    "exponential": HEAD + EXPONENTIAL + SUMS,
    "permute_and_flip": "from itertools import permutations\n\n" + HEAD + FLIPPED + SUMS,
    "laplace_real": HEAD + LAPLACE_REAL,
    "gaussian": HEAD + GAUSSIAN,
    "gaussian_real": "from math import erfc\n\n" + HEAD + GAUSSIAN_REAL,
}


def promise_snippet(mechanism: str, epsilon: float, people: int) -> str:
    """Return the program for one mechanism that has an ε or a ρ."""
    settings = f'mechanism, epsilon, people = "{mechanism}", {epsilon:g}, {people}'
    return TEMPLATES[mechanism].replace(SETTINGS, settings)
