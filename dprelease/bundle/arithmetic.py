"""Sums, differences, ratios and shares of published numbers, with the noise that they have together.

A cell whose noise is known is Σ cᵢ·(xᵢ + Zᵢ) with independent draws Zᵢ, told apart by release, measurement and place:
a − a is 0 ± 0, and a part is correlated with its whole as it is. The margin of a linear form is exact where it fits on
a lattice, else that of continuous noise of the same law and one step a draw, which is no narrower. A ratio has
Fieller's set, {r : A − rB is within its margin}. Of cells whose noise is not known, two intervals of 95 % hold
together in 90 %. All of this is noise only: not sampling, clipping or coverage. Nothing is charged.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import cached_property, reduce
from itertools import product
from math import gcd, prod
from typing import TYPE_CHECKING, Any, NoReturn

from dprelease.bundle import joint_noise
from dprelease.errors import InputError
from dprelease.model.certificate import Certificate
from dprelease.model.feasible import ANYTHING
from dprelease.model.grade import Grade, Scale, grade
from dprelease.model.noise import Drawn
from dprelease.model.presentation import Quantity, Trait
from dprelease.model.release import TOTAL, Cell, Estimates, Release
from dprelease.statements.families import is_compared
from dprelease.words import Phrase, phrase, quoted, verbatim

if TYPE_CHECKING:
    from dprelease.bundle.release_view import ReleaseTable

DrawKey = tuple[str, str, str, int]
"""Signer, release, measurement and place of a draw."""
CONFIDENCE, BOTH = Fraction(19, 20), Fraction(9, 10)
STEPS = 60
"""Halvings of an interval in search of an end."""
DIGITS = 6
"""Significant digits of the ends of a ratio, rounded outwards."""


@dataclass(frozen=True)
class Law:
    """Noise of a table: its draws, the value of one step, and what each cell is the sum of."""

    noise: Drawn
    step: Fraction
    measurement: str
    never_negative: bool
    draws: Mapping[int, tuple[int, ...]]
    """Places of the cells whose draws a cell holds, by its place."""

    def get(self, place: int) -> tuple[Law, tuple[int, ...]] | None:
        return (self, self.draws[place]) if place in self.draws else None


def laws(certificate: Certificate, table: str, estimates: Estimates) -> Law | dict[int, Any]:
    """Return the noise of a table where each cell, but totals, has one draw of its own; else nothing."""
    if certificate.several is not None or not is_compared(certificate, table):
        return {}
    stated, asked = certificate.statistic(table), certificate.asked(table)
    mechanisms, margins = certificate.rests_on(stated), bool(asked.get("margins"))
    if stated.source is not None or len(mechanisms) != 1 or mechanisms[0].step is None:
        return {}
    if not (margins or stated.presentation.has(Trait.OWN_NOISE)):
        return {}
    inner = [[not (margins and cell[0] == TOTAL) for cell in axis.cells] for axis in estimates.axes]
    places = list(product(*(range(len(axis)) for axis in inner)))
    at = {place: number for number, place in enumerate(places)}
    if prod(mechanisms[0].shape) != sum(map(all, product(*inner))):
        return {}
    held = {}
    for place in places:
        sides = [
            [own] if inner[axis][own] else [i for i, is_in in enumerate(inner[axis]) if is_in]
            for axis, own in enumerate(place)
        ]
        held[at[place]] = tuple(at[each] for each in product(*sides))
    return Law(
        Drawn(mechanisms[0].name, float(mechanisms[0].scale)),
        Fraction(Decimal(mechanisms[0].step)),
        stated.id,
        stated.presentation.has(Trait.NEVER_NEGATIVE),
        held,
    )


def unit_of(certificate: Certificate, table: str) -> str:
    """Return what the numbers of a table count: records, units, or the unit of a column, else its name."""
    measure, name = certificate.statistic(table).presentation.measure, certificate.asked(table).get("column", "")
    if measure is not Quantity.COLUMN:
        return measure.value
    column = certificate.columns.get(name)
    return (column.unit if column is not None else "") or name


@dataclass(frozen=True)
class Form:
    """A number Σ cᵢ·(xᵢ + Zᵢ): what it is, and the coefficient and noise of each draw."""

    value: Fraction
    draws: Mapping[DrawKey, tuple[Fraction, Drawn]]
    """Coefficient and law of each draw: the coefficient, in the value of one step, and its law."""
    never_negative: bool = False

    def plus(self, other: Form, times: Fraction = Fraction(1)) -> Form:
        draws = dict(self.draws)
        for key, (c, noise) in other.draws.items():
            draws[key] = (draws.get(key, (Fraction(0), noise))[0] + times * c, noise)
        kept = {key: each for key, each in draws.items() if each[0]}
        return Form(self.value + times * other.value, kept)

    def times(self, factor: Fraction) -> Form:
        return Form(Fraction(0), {}).plus(self, factor)

    def holds(self, part: Form) -> bool:
        """Return True if another form is a part of this one: its draws are among these, with the same coefficients."""
        return all(self.draws.get(key) == each for key, each in part.draws.items())

    @cached_property
    def margin(self) -> Fraction:
        """Half-width of the 95 % interval."""
        if not self.draws:
            return Fraction(0)
        unit = Fraction(
            reduce(gcd, (c.numerator for c, _ in self.draws.values())),
            _least_multiple(c.denominator for c, _ in self.draws.values()),
        )
        whole = Counter((float(abs(c / unit)), noise) for c, noise in self.draws.values())
        return unit * joint_noise.margin(whole)

    def outside(self, distance: float) -> float:
        """Return at least P(|Σ c·Z| >= distance)."""
        return joint_noise.outside(Counter((float(abs(c)), noise) for c, noise in self.draws.values()), distance)


def _least_multiple(numbers: Iterable[int]) -> int:
    return reduce(lambda one, other: one * other // gcd(one, other), numbers, 1)


def form_of(release: Release, table: str, place: int, own: tuple[Law, tuple[int, ...]] | None) -> Form | None:
    """Return a cell as a linear form, of its value before post-processing; None where its noise is not known."""
    estimates = release.tables[table]
    value = estimates.extra.get("raw", estimates.value)[place]
    if own is None or not isinstance(value, int | float):
        return None
    law, draws = own
    signer = str(release.entry.get("signer", ""))
    keys = [(signer, release.certificate.id, law.measurement, each) for each in draws]
    return Form(Fraction(Decimal(str(value))), dict.fromkeys(keys, (law.step, law.noise)), law.never_negative)


class Reckoned:
    """A number with an interval that can be added, subtracted, multiplied by a constant, and divided."""

    value: Cell
    lower95: Cell
    upper95: Cell
    form: Form | None
    confidence: Fraction
    unit: str
    certificates: tuple[Certificate, ...]

    def __add__(self, other: Reckoned) -> DerivedNumber:
        return _combined(self, other, Fraction(1))

    def __sub__(self, other: Reckoned) -> DerivedNumber:
        return _combined(self, other, Fraction(-1))

    def __mul__(self, factor: float | Decimal | Fraction) -> DerivedNumber:
        times = Fraction(str(factor))
        if self.form is not None:
            return _open(self.form.times(times), self.unit, [self])
        ends = sorted(float(times) * each for each in _ends(self))
        return _closed(float(times) * _number(self), (ends[0], ends[1]), self.confidence, self.unit, [self])

    __rmul__ = __mul__

    def __truediv__(self, other: Reckoned) -> DerivedNumber:
        return ratio(self, other)

    def sign(self) -> str:
        """Return `more`, `less` or `not_told`: on which side of 0 the whole interval lies."""
        lower, upper = _ends(self)
        return "more" if lower > 0 else "less" if upper < 0 else "not_told"

    if not TYPE_CHECKING:

        def __bool__(self) -> bool:
            raise TypeError(phrase("bundle.no_comparison"))

        def _refuse(self, other: object) -> NoReturn:
            raise TypeError(phrase("bundle.no_comparison"))

        __lt__ = __le__ = __gt__ = __ge__ = _refuse


@dataclass(frozen=True, eq=False)
class PublishedCell(Reckoned):
    """One published number with its keys, interval and grade."""

    table: ReleaseTable = field(repr=False)
    keys: Mapping[str, Cell]
    value: Cell
    lower95: Cell
    upper95: Cell
    grade: Grade
    unit: str
    form: Form | None = field(repr=False)
    """Its noise, where that is known."""
    confidence = CONFIDENCE

    @property
    def certificates(self) -> tuple[Certificate, ...]:  # type: ignore[override]
        return (self.table.release.certificate,)


@dataclass(frozen=True, eq=False, kw_only=True)
class DerivedNumber(Reckoned):
    """A number worked out of published ones, with an interval of the noise that they have together."""

    value: Cell
    lower95: Cell
    upper95: Cell
    confidence: Fraction = CONFIDENCE
    unit: str = ""
    grade: Grade = Grade.NONE
    form: Form | None = field(default=None, repr=False)
    certificates: tuple[Certificate, ...] = field(default=(), repr=False)

    @property
    def words(self) -> str:
        """Scope of the interval."""
        return str(phrase("bundle.arithmetic_scope"))

    def __repr__(self) -> str:
        value, lower, upper = (
            "?" if each is None else f"{each:.10g}" for each in (self.value, self.lower95, self.upper95)
        )
        return f"{value} {self.unit}".strip() + f" [{lower}, {upper}], {float(self.confidence):.0%}. {self.words}"


def _number(amount: Reckoned) -> float:
    if isinstance(amount.value, int | float):
        return amount.value
    raise _refusal(amount.value, "bundle.number_with_interval")


def _ends(amount: Reckoned) -> tuple[float, float]:
    ends = (amount.lower95, amount.upper95)
    if any(not isinstance(end, int | float) for end in ends):
        raise _refusal(None, "bundle.number_with_interval")
    return ends  # type: ignore[return-value]


def _refusal(found: object, allowed: str, remedy: Phrase | None = None) -> InputError:
    said = phrase("bundle.arithmetic_no_interval") if found is None else found
    return InputError("cells", found=said, allowed=phrase(allowed), remedy=remedy or verbatim(""))


def _about(amounts: Sequence[Reckoned]) -> tuple[Certificate, ...]:
    """Return the certificates behind some numbers, and warn where these are not about the same."""
    found = {each.id: each for amount in amounts for each in amount.certificates}
    for name, facts in (
        ("population", {each.population.name for each in found.values()}),
        ("unit", {each.guarantee.unit for each in found.values()}),
        ("where", {str(each.plan.get("where")) for each in found.values()}),
    ):
        if len(facts) > 1:
            warnings.warn(str(phrase(f"bundle.other_{name}", found=", ".join(sorted(facts)))), stacklevel=4)
    return tuple(found.values())


def _plain(number: Fraction) -> int | float:
    return int(number) if number.denominator == 1 else float(number)


def _open(form: Form, unit: str, of: Sequence[Reckoned]) -> DerivedNumber:
    ends = (form.value - form.margin, form.value + form.margin)
    return _made(_plain(form.value), (_plain(ends[0]), _plain(ends[1])), CONFIDENCE, unit, of, form)


def _closed(
    value: float | int, ends: tuple[float, float], confidence: Fraction, unit: str, of: Sequence[Reckoned]
) -> DerivedNumber:
    return _made(value, ends, confidence, unit, of, None)


def _made(
    value: Any, ends: Any, confidence: Fraction, unit: str, of: Sequence[Reckoned], form: Form | None
) -> DerivedNumber:
    certificates = _about(of)
    letter = grade(value, ends[0], ends[1], Scale(feasible=ANYTHING, step=1e-300), certificates[0].grades)
    given = {"value": value, "lower95": ends[0], "upper95": ends[1], "grade": letter}
    return DerivedNumber(**given, confidence=confidence, unit=unit, form=form, certificates=certificates)


def _combined(one: Reckoned, other: Reckoned, times: Fraction) -> DerivedNumber:
    if not isinstance(other, Reckoned):
        raise InputError("cells", found=str(other), allowed=phrase("bundle.published_number"))
    if one.unit != other.unit:
        found = phrase("bundle.two_units", one=quoted(one.unit), other=quoted(other.unit))
        raise InputError("cells", found=found, allowed=phrase("bundle.one_unit"))
    if one.form is not None and other.form is not None:
        return _open(one.form.plus(other.form, times), one.unit, [one, other])
    if min(one.confidence, other.confidence) < CONFIDENCE:
        raise _refusal(phrase("bundle.third_interval"), "bundle.two_intervals")
    own, ends = _ends(one), sorted(float(times) * end for end in _ends(other))
    value = _number(one) + float(times) * _number(other)
    return _closed(value, (own[0] + ends[0], own[1] + ends[1]), BOTH, one.unit, [one, other])


def total(cells: Iterable[Reckoned]) -> DerivedNumber:
    """Return the sum of some cells, each part counted once. Raises InputError for none, and where one holds another.

    Example: `dp.total(release["ages"].cells)`
    """
    given = list(cells)
    if not given:
        raise InputError("cells", found=phrase("model.nothing"), allowed=phrase("bundle.published_number"))
    if any(each.form is None for each in given) and len(given) > 2:
        raise _refusal(phrase("bundle.third_interval"), "bundle.two_intervals")
    keys = Counter(key for each in given if each.form is not None for key in each.form.draws)
    if keys and max(keys.values()) > 1:
        raise _refusal(phrase("bundle.held_twice"), "bundle.each_part_once", phrase("bundle.leave_totals_out"))
    if len({each.unit for each in given}) > 1 or any(each.form is None for each in given):
        return given[0] * 1 if len(given) == 1 else given[0] + given[1]
    draws = {key: law for each in given if each.form is not None for key, law in each.form.draws.items()}
    value = sum((each.form.value for each in given if each.form is not None), Fraction(0))
    return _open(Form(value, draws), given[0].unit, given)


def ratio(one: Reckoned, other: Reckoned) -> DerivedNumber:
    """Return a quotient with Fieller's interval; without a value where the denominator may be 0.

    Example: `release["ages"].cells[0] / release["ages"].cells[1]`
    """
    unit = f"{one.unit}/{other.unit}" if one.unit != other.unit else ""
    if one.form is None or other.form is None:
        if min(one.confidence, other.confidence) < CONFIDENCE:
            raise _refusal(phrase("bundle.third_interval"), "bundle.two_intervals")
        (low, high), (least_, most) = _ends(one), _ends(other)
        if low <= 0 or least_ <= 0:
            raise _refusal(phrase("bundle.interval_with_0"), "bundle.intervals_above_0")
        return _closed(_number(one) / _number(other), (low / most, high / least_), BOTH, unit, [one, other])
    a, b = one.form, other.form
    if abs(b.value) <= b.margin:
        return DerivedNumber(value=None, lower95=None, upper95=None, unit=unit, certificates=_about([one, other]))
    middle = a.value / b.value
    if not a.plus(b, -middle).draws:  # the same draws: a part of 1 of itself
        return _made(float(middle), (float(middle), float(middle)), CONFIDENCE, unit, [one, other], None)
    lower, upper = _end(a, b, middle, -1), _end(a, b, middle, 1)
    return _made(float(middle), (lower, upper), CONFIDENCE, unit, [one, other], None)


def _end(a: Form, b: Form, middle: Fraction, side: int) -> float:
    """Return an end of {r : A − rB within its margin}, rounded outwards."""

    def is_in(r: Fraction) -> bool:
        form = a.plus(b, -r)
        return bool(form.draws) and form.outside(abs(float(form.value))) > 0.05

    step = Fraction(float(max(abs(middle), (a.margin + abs(a.value)) / abs(b.value), Fraction(1, 10**9)))) / 64
    low, high = Fraction(0), step
    while is_in(middle + side * high):
        low, high = high, 2 * high
    for _ in range(STEPS // 2):
        half = Fraction(float((low + high) / 2))
        low, high = (half, high) if is_in(middle + side * half) else (low, half)
    number = Decimal(float(middle + side * high))
    return float(Context(DIGITS, ROUND_FLOOR if side < 0 else ROUND_CEILING).plus(number))


def share(part: Reckoned, whole: Reckoned) -> DerivedNumber:
    """Return the share of a part in its whole, with Fieller's interval, in [0, 1] where the part lies in the whole.

    Example: `dp.share(release["ages"].cells[0], release["ages"].total())`
    """
    if part.form is None or whole.form is None:
        raise _refusal(phrase("bundle.unknown_noise"), "bundle.known_noise")
    found = ratio(part, whole)
    within = whole.form.holds(part.form) and part.form.never_negative
    if found.value is None or not within:
        return found
    ends = [min(1.0, max(0.0, float(each))) for each in (found.lower95, found.upper95)]  # type: ignore[arg-type]
    return _made(min(1.0, max(0.0, float(found.value))), tuple(ends), CONFIDENCE, "", [part, whole], None)
