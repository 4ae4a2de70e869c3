"""Regressions of several sites at four sizes and goals, as Markdown for docs/federation.md. No time is measured."""

from __future__ import annotations

from dprelease.extras.lab.compared_sites import simulate
from dprelease.extras.lab.simulation import NAMES

ASKED = ((1500, 0.5), (1500, 1.0), (1500, 5.0), (20000, 1.0))
DRAWS = 8


def main() -> None:
    found = [simulate(rows, epsilon, DRAWS) for rows, epsilon in ASKED]
    print("| error | rounds |", *(f"n = {rows}, ε = {epsilon:g} |" for rows, epsilon in ASKED), "real ε |")
    print("|---|---|" + "---|" * (len(ASKED) + 1))
    for name, words in NAMES.items():
        own = [each.by_name[name] for each in found]
        errors = (f"{each.error:.4f}" if each.error < 10 else f"{each.error:.0e}" for each in own)
        real = ("none" if each.epsilon is None else f"{each.epsilon:.3g}" for each in own)
        kept = all(each.epsilon and each.epsilon <= goal for each, (_, goal) in zip(own, ASKED, strict=True))
        print(f"| {words} | {own[0].rounds} | {' | '.join(errors)} | {'kept' if kept else ', '.join(real)} |")


if __name__ == "__main__":
    main()
