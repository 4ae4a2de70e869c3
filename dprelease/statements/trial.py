"""Gain in accuracy of a model of two classes over always naming the commoner one, on units that were held out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor, log

from dprelease.model.noise import Drawn
from dprelease.model.release import FittedOutput, Release
from dprelease.model.statement import Finding, Way
from dprelease.statements.families import ALPHA, NOISES
from dprelease.statements.order import FINE, WEAK, decimal
from dprelease.statements.tails import combined_tail, least

PERFORMANCE = "performance"
ALIKE = Fraction(2, 100)
"""Largest gain, as a part of all, up to which a model is called no better."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialCounts:
    """Noisy counts of held-out rows by cell of the score, the lower half of which predicts no."""

    level: Fraction
    yes: Sequence[int]
    no: Sequence[int]
    noise: Drawn
    codes: tuple[int, int]
    """Codes of yes and no, by their places in the declared order."""

    def at(self, part: Fraction) -> TrialCounts:
        """Return the same at a part of its level."""
        return replace(self, level=self.level * part)

    def reach(self, draws: int, beta: Fraction) -> int:
        """Return the least d that a sum of so many draws reaches with probability β at most."""
        noise = Drawn(self.noise.name, self.noise.scale, draws)
        return least(lambda d: combined_tail(((1, noise),), d), float(beta))


def trials(release: Release, table: str) -> list[TrialCounts]:
    """Return the trial of a table of a model's performance, whose counts stand in models/ID.json; else none."""
    certificate, (name, _, part) = release.certificate, table.partition(".")
    asked, output = certificate.asked(table), release.outputs.get(name)
    if part != PERFORMANCE or "held_out" not in asked or not isinstance(output, FittedOutput):
        return []
    own, (*_, listed) = certificate.rests_on(certificate.statistic(table))[-1], output.facts["integers"]
    if own.name not in NOISES or certificate.several is not None or len(listed) % 2:
        return []
    half, positive = len(listed) // 2, 0 if asked.get("positive") == "first" else 1
    classes = (listed[:half], listed[half:])
    noise = Drawn(own.name, float(own.scale))
    return [
        TrialCounts(
            level=ALPHA, yes=classes[positive], no=classes[1 - positive], noise=noise, codes=(positive, 1 - positive)
        )
    ]


def tried(own: TrialCounts) -> Iterator[Finding]:
    """Yield the finding that a model is better than guessing, no better, or neither; none where there may be no rows.

    Right predictions less those of always saying yes are C0, the no less the yes among those predicted no; less those
    of always saying no C1, the other way among the others. So the gain over the commoner class is min(C0, C1)/n. Its
    lower end is at .4 α without correction, because the smaller of both true contrasts is one that is fixed; its upper
    end at .2 α, because either may be the smaller noisy one; n by .1 α on each side.
    """
    half, cells = len(own.yes) // 2, len(own.yes)
    over = sum(own.yes[half:]) - sum(own.no[half:])
    under = sum(own.no[:half]) - sum(own.yes[:half])
    rows = sum(own.yes) + sum(own.no)
    gain, draws = min(over, under), 2 * (cells - half)
    off = own.reach(2 * cells, own.level / 10)
    if rows - off <= 0:
        return
    low = gain - own.reach(draws, own.level * 2 / 5)
    high = gain + own.reach(draws, own.level / 5)
    lower = Fraction(low, rows + off if low > 0 else rows - off)
    upper = Fraction(high, rows - off if high > 0 else rows + off)
    way: Way = "better" if low > 0 else "no_better" if upper <= ALIKE else "unclear"
    right = sum(own.yes[half:]) + sum(own.no[:half])
    commoner = 0 if sum(own.yes) >= sum(own.no) else 1
    guess = max(sum(own.yes), sum(own.no))
    alpha = own.level
    yield Finding(
        way=way,
        alpha=f"{alpha.numerator}/{alpha.denominator}",
        places=(0,),
        code=own.codes[commoner],
        share=decimal(min(max(Fraction(right, rows), Fraction(0)), Fraction(1)), FINE),
        guess=decimal(min(max(Fraction(guess, rows), Fraction(0)), Fraction(1)), FINE),
        least=decimal(Fraction(floor(lower * FINE), FINE), FINE),
        most=decimal(Fraction(ceil(upper * FINE), FINE), FINE),
        strength=f"{log(1 + 5 * lower) if low > 0 else -float(upper) if way == 'no_better' else WEAK:.6f}",
    )
