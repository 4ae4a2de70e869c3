"""From tallies to sealed draws to published answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dprelease.errors import InternalError
from dprelease.mechanisms import DiscreteGaussian, DiscreteLaplace, Mechanism
from dprelease.mechanisms.mechanism import SelectionMechanism
from dprelease.mechanisms.permute_and_flip import uniform_between
from dprelease.mechanisms.threads import each_of
from dprelease.model.release import Estimates, Output
from dprelease.model.schema import Schema
from dprelease.model.tally import UNDECLARED, Query
from dprelease.statistics.adjust import adjusted, adjusts
from dprelease.statistics.beside import tells_integers
from dprelease.statistics.planning.bounding import bounded
from dprelease.statistics.planning.measurement import PricedMeasurement
from dprelease.statistics.planning.price import Price
from dprelease.statistics.planning.priced import StatisticPrice
from dprelease.statistics.tabulated import Pick
from dprelease.table import Discovery, Tally

Part = list[Any]
"""Draws of one measurement: for each mechanism a (nested) list of integers, or integers by discovered cell."""
Draw = dict[str, Part]
"""All that is sealed: a part for each measurement."""
ADDED = DiscreteLaplace | DiscreteGaussian
"""Mechanisms that add a number to each integer of an array, whatever the others are."""
FAR = 100
"""So many scales below the highest score."""
Ask = Callable[[Sequence[Query]], Sequence[Tally | Discovery]]
"""Answers tallies of a later round, of the rows that the first one was asked of."""


def nothing_more(wanted: Sequence[Query]) -> Sequence[Tally | Discovery]:
    """Raise InternalError: there are no rows to ask."""
    raise InternalError("a later round asks for tallies, and there are no rows to ask")


@dataclass(frozen=True)
class Inputs:
    """Inputs of the mechanisms of a measurement, round after round. The repr shows nothing of them."""

    measurement: PricedMeasurement
    schema: Schema
    tallies: Sequence[Any] = field(repr=False)
    first: Sequence[Any] = field(repr=False)
    """Inputs of the mechanisms of the first round."""
    ask: Ask = field(default=nothing_more, repr=False)

    @classmethod
    def of(
        cls, measurement: PricedMeasurement, schema: Schema, tallies: Sequence[Any], ask: Ask = nothing_more
    ) -> Inputs:
        """Make the inputs of a measurement of its tallies, in the order of its queries."""
        kinds = [type(mechanism) for mechanism in measurement.of_round(0)]
        return cls(measurement, schema, tallies, measurement.statistic.given(schema, tallies, kinds), ask)

    @property
    def numbers(self) -> int:
        """Number of integers that noise is added to in the first round."""
        return sum(values.size if hasattr(values, "size") else len(values) for values in self.first)

    def queries(self, number: int, drawn: Part) -> tuple[Query, ...]:
        """Return the tallies that a round needs beyond the first ones, after what rounds before it drew."""
        if not number or not self.measurement.of_round(number):
            return ()
        before, mechanisms = list(map(_opened, drawn)), self.measurement.mechanisms
        return self.measurement.statistic.queries_after(self.schema, before, mechanisms)

    def of_round(
        self, number: int, drawn: Part, answered: Mapping[Query, Any] | None = None
    ) -> list[tuple[Mechanism, Any]]:
        """Return each mechanism of a round with its integers, after what rounds before it drew.

        `answered`: its further tallies, where these were asked for together with others'.
        """
        mechanisms = self.measurement.of_round(number)
        given = self.first
        if number and mechanisms:
            wanted = self.queries(number, drawn)
            found = _values(self.ask(wanted)) if wanted and answered is None else answered or {}
            tallies = [*self.tallies, *(found[query] for query in wanted)]
            before, every = list(map(_opened, drawn)), self.measurement.mechanisms
            given = self.measurement.statistic.given_after(self.schema, tallies, before, every)
        return list(zip(mechanisms, given, strict=True)) if mechanisms else []

    def drawn(self, noisy: Sequence[Any], pick: Pick) -> Part:
        """Return what is sealed of the outputs of a round's mechanisms."""
        return _listed(self.measurement.statistic.drawn(self.schema, noisy, pick))


class Rounds(Protocol):
    """Store of the rounds of a draw, each kept before the next one is made of it."""

    def kept(self, number: int) -> Draw | None:
        """Return a round that was drawn before; None where there is none."""

    def keep(self, number: int, drawn: Draw) -> Draw:
        """Keep a round durably and return it; another that was kept first, where there is one."""


def queries(price: Price) -> list[Query]:
    """Return the tallies a plan needs, each once."""
    wanted = (query for each in price.measurements for query in each.statistic.queries(price.plan.schema))
    return list(dict.fromkeys(wanted))


def exact(price: Price, tallies: Sequence[Tally | Discovery], ask: Ask = nothing_more) -> dict[str, Inputs]:
    """Return what each measurement is given. `ask`: for the tallies of later rounds."""
    schema, values = price.plan.schema, _values(tallies)
    return {
        each.id: Inputs.of(each, schema, [values[query] for query in each.statistic.queries(schema)], ask)
        for each in price.measurements
    }


def _values(tallies: Sequence[Tally | Discovery]) -> dict[Query, Any]:
    return {tally.query: tally.values for tally in tallies}


def draw(price: Price, inputs: Mapping[str, Inputs], rounds: Rounds | None = None) -> Draw:
    """Return one draw of every mechanism, a round after another.

    What mechanisms may refuse is refused before the first of a round draws; nothing is raised because of what that
    round draws. So an error never chooses among draws: it comes before all of them, or, like a kill, whatever they
    are. A round is kept in `rounds` before anything is computed of it, a further scan's queries too, and one that was
    kept is never drawn again.
    """
    drawn: Draw = {name: [] for name in inputs}
    for number in range(price.rounds):
        last = number == price.rounds - 1
        fresh = None if last or rounds is None else rounds.kept(number)
        if fresh is None:
            fresh = _round(inputs, number, drawn)
            if not last and rounds is not None:
                fresh = rounds.keep(number, fresh)
        for name, part in fresh.items():
            drawn[name] += part
    return drawn


def _round(inputs: Mapping[str, Inputs], number: int, drawn: Draw) -> Draw:
    """Answer in one scan what all measurements ask for in a round."""
    wanted = {query: each.ask for name, each in inputs.items() for query in each.queries(number, drawn[name])}
    found = _values(next(iter(wanted.values()))(list(wanted))) if wanted else {}
    pairs = {name: each.of_round(number, drawn[name], found) for name, each in inputs.items()}
    for name, given in pairs.items():
        _check(name, given)
    return {name: _drawn(inputs[name], given) for name, given in pairs.items() if given}


def draw_one(inputs: Inputs) -> Part:
    """Return one draw of one measurement.

    Raises InternalError, before noise is drawn, where a mechanism is given integers of another shape than it was priced
    for.
    """
    given = inputs.of_round(0, [])
    _check(inputs.measurement.id, given)
    return _completed(inputs, _drawn(inputs, given))


def _completed(inputs: Inputs, drawn: Part) -> Part:
    """Return the rounds after the first."""
    for number in range(1, inputs.measurement.rounds):
        given = inputs.of_round(number, drawn)
        _check(inputs.measurement.id, given)
        drawn += _drawn(inputs, given)
    return drawn


def draw_many(inputs: Inputs, count: int) -> list[Part]:
    """Return independent draws of one measurement, for pictures: in fewer calls than as many single draws take."""
    given = inputs.of_round(0, [])
    if not all(isinstance(each, ADDED | SelectionMechanism) for each, _ in given):
        return [draw_one(inputs) for _ in range(count)]
    _check(inputs.measurement.id, given)
    noisy = [_often(each, values, count) for each, values in given]
    first = (inputs.drawn([each[place] for each in noisy], uniform_between) for place in range(count))
    return [_completed(inputs, part) for part in first]


def _often(mechanism: Mechanism, values: Any, count: int) -> NDArray[Any]:
    """So many outputs for the same integers. Candidates with a chance below e^-100 are not asked: most of very many."""
    if isinstance(mechanism, ADDED):
        return np.asarray(mechanism.release(np.broadcast_to(values, (count, *np.shape(values)))))
    chosen = []
    for scores in np.asarray(values):
        near = np.flatnonzero(scores >= scores.max() - FAR * mechanism.scale)
        chosen.append(near[mechanism.release(np.broadcast_to(scores[near], (count, len(near))))])
    return np.stack(chosen, axis=-1)


def _check(name: str, given: Sequence[tuple[Mechanism, Any]]) -> None:
    for mechanism, values in given:
        shape = UNDECLARED if isinstance(values, Mapping) else np.shape(values)
        if shape != mechanism.sensitivity.shape:
            raise InternalError(f"{name}: priced for the shape {mechanism.sensitivity.shape}, and given {shape}")
        mechanism.noiseless(values)  # what `release` refuses in its input, this refuses too


def _drawn(inputs: Inputs, given: Sequence[tuple[Mechanism, Any]]) -> Part:
    size = sum(np.size(values) for _, values in given)
    return inputs.drawn(each_of(lambda pair: pair[0].release(pair[1]), given, size), uniform_between)


def without_noise(inputs: Inputs) -> Part:
    """Return what `draw_one` would give without noise: for the curator's preview only."""
    drawn: Part = []
    for number in range(inputs.measurement.rounds):
        exactly = [mechanism.noiseless(values) for mechanism, values in inputs.of_round(number, drawn)]
        drawn += inputs.drawn(exactly, lambda first, last: (first + last) // 2)
    return drawn


def _listed(parts: Sequence[Any]) -> Part:
    return [dict(part) if isinstance(part, Mapping) else part.tolist() for part in parts]


def unrepeatable(price: Price) -> list[StatisticPrice]:
    """Return statistics whose answers may differ by machine in the last digits: they are sealed beside the draw."""
    return [item for item in price.statistics if adjusts(item, price) or not item.statistic.repeatable]


def answers(price: Price, drawn: Draw, sealed: Mapping[str, Output] | None = None) -> Mapping[str, Output]:
    """Return what is published of a draw by statistic, each made when it is first read.

    `sealed`: those that were sealed beside it.
    """
    return _Answers(price, drawn, sealed or {})


class _Answers(Mapping[str, Output]):
    def __init__(self, price: Price, drawn: Draw, sealed: Mapping[str, Output]) -> None:
        self._price, self._drawn = price, drawn
        self._made: dict[str, Output] = dict(sealed)
        self._items = {item.id: item for item in price.statistics}

    def __getitem__(self, statistic: str) -> Output:
        item = self._items[statistic]
        if statistic not in self._made:
            if adjusts(item, self._price):
                own = (each for each in self._items.values() if adjusts(each, self._price))
                made = {each.id: table(each, self._price.plan.schema, self._drawn) for each in own}
                self._made |= adjusted(self._price, made)
            else:
                own_answer = answer(item, self._price.plan.schema, self._drawn)
                self._made[statistic] = self._bounded(item, with_integers(item, own_answer, self._drawn))
        return self._made[statistic]

    def _bounded(self, item: StatisticPrice, made: Output) -> Output:
        """Return the answer of a statistic, with intervals where another one's shares tell them."""
        if item.bounded_by is None or not isinstance(made, Estimates):
            return made
        by, shares = self._items[item.bounded_by].statistic, self[item.bounded_by]
        assert isinstance(shares, Estimates)
        return bounded(item.statistic, made, by, shares, self._price.plan.schema)

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)


def with_integers(item: StatisticPrice, made: Output, drawn: Draw) -> Output:
    """Return an answer with what was drawn for it, which is paid for."""
    if not (tells_integers(item) and isinstance(made, Estimates)):
        return made
    parts = drawn[item.derivation.measurement.id]
    return replace(made, integers=[np.asarray(part).ravel().tolist() for part in parts])


def answer(item: StatisticPrice, schema: Schema, drawn: Draw) -> Output:
    """Return what one statistic answers of what was drawn, before it is adjusted to others."""
    names = [each.id for each in item.derivation.measurements]
    return item.answered(schema, {name: list(map(_opened, drawn[name])) for name in names})


def simulated(item: StatisticPrice, schema: Schema, drawn: Draw) -> Mapping[str, Estimates]:
    """Return the tables of such an answer by name, for pictures: intervals mean nothing, and take no time."""
    if item.derivation.own is None or item.statistic.output != "table":
        return answer(item, schema, drawn).named(item.id)
    parts = list(map(_opened, drawn[item.derivation.measurement.id]))
    return {item.id: item.statistic.estimates(schema, parts, item.mechanisms, confidence=0.0)}


def table(item: StatisticPrice, schema: Schema, drawn: Draw) -> Estimates:
    """Return the same, of a statistic whose answer is one table."""
    found = answer(item, schema, drawn)
    assert isinstance(found, Estimates)
    return found


def _opened(part: Any) -> Any:
    return part if isinstance(part, Mapping) else np.array(part, dtype=np.int64)
