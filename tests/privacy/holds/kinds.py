"""Every kind that publishes an interval of 95 %: what is asked for, and what its interval has to hold.

Three targets: a figure, worked out here of the rows with no code of the product; the unsmoothed formula of the counts;
or the same fit without noise (`truth` is None), which is the product's own. It is the one that docs/privacy.md names.
Not here: `components`, whose ends (`lower`, `upper`) are approximate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
import pandas

from tests.privacy.holds.judge import Kind, Numbers, Tables, Truth
from tests.privacy.holds.settings import WIDTH, Setting, names, rows

GROUPS = ("one", "two", "none")
NAN = float("nan")
ROWS = {"neighbors": "substitute", "unit": 0, "by": False}
Frame = pandas.DataFrame
YES = [{"column": "b", "equals": "yes"}]


def _groups(s: Setting, frame: Frame) -> Iterator[Frame]:
    """The whole table, or its groups in their declared order, of which the last has no rows."""
    yield from [frame[frame["g"] == group] for group in GROUPS] if s.by else [frame]


def figure(of: Callable[[Setting, Frame], Any], *ends: float) -> Truth:
    """A figure of each group; where it is not defined, one of what it might be, by the setting's seed."""

    def truth(s: Setting, frame: Frame, tables: Tables) -> Numbers:
        found = [of(s, group) for group in _groups(s, frame)]
        return {"": np.concatenate([np.ravel(ends[s.seed % len(ends)] if one is None else one) for one in found])}

    return truth


def asked(kind: str, **options: Any) -> Callable[[Setting], dict[str, Any]]:
    """Options by name; one that is a function is given the setting."""

    def declared(s: Setting) -> dict[str, Any]:
        own = {name: each(s) if callable(each) else each for name, each in options.items()}
        return {"kind": kind, **{name: each for name, each in own.items() if each != []}}

    return declared


def copied(kind: str, **options: Any) -> Callable[[Setting], dict[str, Any]]:
    """The same in many groups with the same integers."""
    return asked(kind, **options, by=lambda s: ["copy", "g"] if s.by else ["copy"])


def _by(s: Setting) -> list[str]:
    return ["g"] if s.by else []


def _bins(s: Setting) -> dict[str, int]:
    return {"x": s.bins}


def _counts(s: Setting, frame: Frame, column: str) -> Any:
    """Rows by bin of x, or by category."""
    if column == "x":
        return np.bincount(frame["x"] // WIDTH, minlength=s.bins)
    return np.array([(frame[column] == one).sum() for one in (names(s) if column == "c" else ("no", "yes"))])


def _cross(s: Setting, frame: Frame, columns: tuple[str, ...]) -> Any:
    if not columns:
        return np.array([len(frame)])
    first, *rest = columns
    labels = range(s.bins) if first == "x" else names(s) if first == "c" else ("no", "yes")
    column = frame["x"] // WIDTH if first == "x" else frame[first]
    return np.concatenate([_cross(s, frame[column == one], tuple(rest)) for one in labels])


def _mean(column: str, weighted: bool = False) -> Callable[[Setting, Frame], Any]:
    def of(s: Setting, frame: Frame) -> Any:
        weights = frame["w"] if weighted else np.ones(len(frame))
        number = (frame["b"] == "yes") if column == "b" else frame[column]
        return float((number * weights).sum() / weights.sum()) if weights.sum() else None

    return of


def _ratio(s: Setting, frame: Frame) -> Any:
    return float(frame["y"].sum() / frame["x"].sum()) if frame["x"].sum() else None


def _below(s: Setting, frame: Frame) -> Any:
    return np.cumsum(_counts(s, frame, "x")) / len(frame) if len(frame) else np.full(s.bins, 0.4)


def shares(s: Setting, frame: Frame, tables: Tables) -> Numbers:
    return {"": _counts(s, frame, "c") / max(1, len(frame))}


def beside_a_cdf(s: Setting) -> list[dict[str, Any]]:
    quantiles = {"kind": "quantiles", "column": "x", "probs": [0.2]}
    return [quantiles, {"kind": "cdf", "column": "x", "bins": s.bins}]


def _matrix(s: Setting, frame: Frame) -> Any:
    return np.cov(frame[["x", "y"]].to_numpy().T.astype(float), bias=True) if len(frame) else np.full((2, 2), NAN)


def _correlation(s: Setting, frame: Frame) -> Any:
    found = _matrix(s, frame)
    spread = np.sqrt(np.diag(found))
    known = spread.all() and len(frame)
    return np.where(np.eye(2) > 0, NAN, found / np.outer(spread, spread)) if known else np.full(4, NAN)


def _quantile(*alphas: float) -> Callable[[Setting, Frame], Any]:
    def of(s: Setting, frame: Frame) -> Any:
        """Of each α the least or the greatest value with at most αn rows below it and at least αn up to it."""
        if not len(frame):
            return np.full(len(alphas), 3)
        values, places = np.sort(frame["x"]), np.array(alphas) * len(frame)
        at = np.floor(places) if s.seed % 2 else np.ceil(places) - 1
        return values[np.clip(at.astype(int), 0, len(values) - 1)]

    return of


def _log(numbers: Any) -> Any:
    with np.errstate(divide="ignore"):
        return np.log(np.asarray(numbers, dtype=float))


def odds(columns: Callable[[Setting], dict[str, Any]]) -> Truth:
    """By bin of each column ln(rows of a class there / of the class), less that of the first class: of the counts."""

    def truth(s: Setting, frame: Frame, tables: Tables) -> Numbers:
        outcome = columns(s)["outcome"]
        classes = names(s) if outcome == "c" else ("no", "yes")
        own = [frame[frame[outcome] == one] for one in classes]
        points = []
        with np.errstate(invalid="ignore"):
            for column in columns(s)["on"]:
                logs = np.array([_log(_counts(s, one, column)) - _log(len(one)) for one in own])
                points.append((logs[1:] - logs[0]).T.ravel())
        shares = np.array(list(map(len, own))) / len(frame) if len(frame) else np.full(len(own), NAN)
        return {"points": np.concatenate(points), "classes": shares}

    return truth


def least_squares(s: Setting, frame: Frame, tables: Tables) -> Numbers:
    found = []
    for group in _groups(s, frame):
        dummies = [(group["c"] == one) for one in names(s)[1:]]
        design = np.stack([np.ones(len(group)), group["x"], *dummies], axis=1).astype(float)
        full = len(group) > 0 and np.linalg.matrix_rank(design) == design.shape[1]
        found.append(np.linalg.lstsq(design, group["y"], rcond=None)[0] if full else np.full(design.shape[1], NAN))
    return {"coefficients": np.concatenate(found)}


def through_origin(s: Setting, frame: Frame, tables: Tables) -> Numbers:
    """Of x alone: Σxy/Σx²; nothing where no row has an x other than 0."""
    x, y = frame["x"].astype(float), frame["y"].astype(float)
    return {"coefficients": [(x * y).sum() / (x * x).sum() if (x * x).sum() else NAN]}


def through(s: Setting, frame: Frame, tables: Tables) -> Numbers:
    """The outcome is 20 in every row, so whatever bins are kept and their weights, the line has the slope 0."""
    return {"coefficients": [20.0, 0.0] if len(frame) else [NAN, NAN]}


def with_totals(s: Setting, frame: Frame, tables: Tables) -> Numbers:
    """With a total behind each key, and none of a share's own total."""
    cells = _cross(s, frame, ("c", "b")).reshape(-1, 2).astype(float)
    whole = np.concatenate([cells, cells.sum(axis=0, keepdims=True)])
    whole = np.concatenate([whole, whole.sum(axis=1, keepdims=True)], axis=1)
    rows = np.where(whole[:, -1:] > 0, whole / np.maximum(whole[:, -1:], 1), NAN)
    rows[:, -1] = NAN
    table = np.full_like(whole, NAN)
    table[:-1, :-1] = cells / cells.sum() if cells.sum() else NAN
    return {"": whole.ravel(), "/row_share_": rows.ravel(), "/table_share_": table.ravel()}


def tables_of(s: Setting, frame: Frame, tables: Tables) -> Numbers:
    """Each published table of counts, by its keys."""
    found = {}
    for name, table in tables.items():
        expected = _cross(
            s, frame, tuple(key for key in "cxb" if any(part.startswith(key) for part in table.key_names))
        )
        if name != "report" and len(table) == len(expected) and any(end is not None for end in table.lower95):
            found[name] = expected
    return found


def top_counts(s: Setting, frame: Frame, tables: Tables) -> Numbers:
    return {"/count_": [(frame["c"] == value).sum() for value in tables[""].value]}


def regions(s: Setting, frame: Frame, tables: Tables) -> Numbers:
    """Rows of the cells of ten codes whose middle is nearest to each published centre."""
    centres = np.array(tables["centres"].value, dtype=float)
    middles = np.arange(s.bins) * WIDTH + (WIDTH - 1) / 2
    nearest = np.argmin(np.abs(middles[:, None] - centres), axis=1)
    return {"sizes": np.bincount(nearest, weights=_counts(s, frame, "x"), minlength=len(centres))}


def rows_off(s: Setting, frame: Frame, tables: Tables) -> Numbers:
    """How far the published rows are off in each table of the report that says so: the root of the mean square."""
    made = pandas.DataFrame({name: list(column) for name, column in tables.rows.items()})
    found = []
    for (table, *_), value in zip(tables["report"].axes[0].cells, tables["report"].value, strict=True):
        columns = tuple(str(table).split("_"))
        cells = _cross(s, made, columns) - _cross(s, frame, columns)
        found.append(NAN if value is None else float(np.sqrt((cells**2).mean())))
    return {"report": found}


def bells(s: Setting, frame: Frame, tables: Tables) -> Numbers:
    own = [frame.loc[frame["b"] == one, "x"] for one in ("no", "yes")]
    return {
        "means": [one.mean() if len(one) else NAN for one in own],
        "deviations": [one.std(ddof=0) if len(one) else NAN for one in own],
    }


def _questions(s: Setting) -> list[dict[str, Any]]:
    return [{"label": one, "where": [{"column": "c", "equals": one}]} for one in names(s)]


def above(s: Setting, frame: Frame, tables: Tables) -> Numbers:
    told = tables[""].numbers["count"]
    counts = _counts(s, frame, "c")
    return {"/count_": [NAN if cell is None else count for cell, count in zip(told, counts, strict=True)]}


def _public(name: str, keys: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """A figure for each combination of keys: 10, 11, 12 and so on."""
    lines = [",".join([*cells, str(10 + place)]) for place, cells in enumerate(product(*keys.values()))]
    content = "\n".join([",".join([*keys, "people"]), *lines, ""])
    return {name: {"keys": {key: key for key in keys}, "value": "people", "source": "made up", "content": content}}


def derived(**asked: Any) -> Callable[[Setting], dict[str, Any]]:
    """What follows of the counts, with figures for p by c, or by c and b where q weights b."""

    def beside(s: Setting) -> dict[str, Any]:
        answers = {"b": ("no", "yes")} if "standardise" in asked else {}
        public = _public("p", {"c": names(s), **answers}) | (_public("q", answers) if answers else {})
        return {"derived": [{"id": "d", "of": "s0", **asked}]} | ({"public": public} if "per" in asked else {})

    return beside


def rates(s: Setting, frame: Frame, tables: Tables) -> Numbers:
    return {"": 100 * _counts(s, frame, "c") / (10 + np.arange(s.categories))}


def standardised(s: Setting, frame: Frame, tables: Tables) -> Numbers:
    """By c the rates of both b, weighted 10 to 11."""
    cells, people = _cross(s, frame, ("c", "b")).reshape(-1, 2), (10 + np.arange(2 * s.categories)).reshape(-1, 2)
    return {"": cells / people @ np.array([10, 11]) / 21}


def index(s: Setting, frame: Frame, tables: Tables) -> Numbers:
    """Of the first category, which is 100 by itself."""
    counts = _counts(s, frame, "c").astype(float)
    return {"": [NAN, *(100 * counts[1:] / counts[0] if counts[0] else counts[1:] * NAN)]}


def change(s: Setting, frame: Frame, tables: Tables) -> Numbers:
    before, after = (counts := _counts(s, frame, "x").astype(float))[:-1], counts[1:]
    return {"": [NAN, *np.where(before > 0, 100 * (after / np.maximum(before, 1) - 1), NAN)]}


@lru_cache(maxsize=8)
def population(s: Setting) -> Frame:
    """20,000 rows that samples are drawn of; weights go with x, or with nothing."""
    frame = rows(replace(s, n=20_000))
    by_x = s.seed % 2 and s.shape != "missing"
    return frame.assign(w=1 + (3 * frame["x"] // (s.top + 1) if by_x else frame["w"] % 3))


def sample(weighted: bool) -> Callable[[Setting, Any], Frame]:
    """n rows with replacement, with chances of 1 to their weight."""

    def draw(s: Setting, rng: Any) -> Frame:
        whole = population(s)
        chances = 1 / whole["w"].to_numpy() if weighted else np.ones(len(whole))
        drawn = whole.iloc[rng.choice(len(whole), s.n, p=chances / chances.sum())]
        return drawn.assign(id=np.arange(s.n) // max(1, s.unit))

    return draw


def of_population(of: Callable[[Setting, Frame], Any]) -> Truth:
    def truth(s: Setting, frame: Frame, tables: Tables) -> Numbers:
        return {
            "//_total": [NAN if (one := of(s, group)) is None else one for group in _groups(s, population(s).dropna())]
        }

    return truth


def line_of_population(s: Setting, frame: Frame, tables: Tables) -> Numbers:
    return {"coefficients//_both": least_squares(s, population(s).dropna(), tables)["coefficients"]}


def _predictors(outcome: str, *on: str, **options: Any) -> Callable[[Setting], dict[str, Any]]:
    return asked("", outcome=outcome, on=list(on), bins=_bins, **options)


def bayes(s: Setting) -> dict[str, Any]:
    """Of many categories as a predictor, of few as the outcome."""
    return _predictors("c", "x", "b")(s) if 1 < s.categories <= 10 else _predictors("b", "x", "c")(s)


CARD = _predictors("b", "x", "c")
FIVE, TWENTIETHS = (0.05, 0.25, 0.5, 0.75, 0.95), [place / 20 for place in range(1, 20)]
HISTOGRAM, CROSSTAB = asked("histogram", column="c"), asked("crosstab", columns=["c", "b"])
BINS = asked("histogram", column="x", bins=lambda s: s.bins)
ALONE = {"needs": lambda s: {"by": False}}
FEW = {"needs": lambda s: {"n": min(s.n, 3000), "by": False}, "easy": 0}
HELD_OUT = {"needs": lambda s: {"unit": s.unit or 1, "n": min(s.n, 3000)}, "each": True, "easy": 0, "turns": 20}
ROWS_MADE = {"needs": lambda s: {"bins": min(s.bins, 10), "categories": min(s.categories, 10)}, **HELD_OUT} | {
    "turns": 40
}
KINDS: tuple[Kind, ...] = (
    Kind("count", copied("count"), figure(lambda s, rows: len(rows))),
    Kind("count, weighted", copied("count", survey_weights="w"), figure(lambda s, rows: rows["w"].sum())),
    Kind("count, Laplace noise", copied("count", noise="laplace"), figure(lambda s, rows: len(rows))),
    Kind("answered", asked("answered", columns=["c"], detail=True), None),
    Kind("units", copied("units"), figure(lambda s, r: r["id"].nunique()), needs=lambda s: {"unit": s.unit or 3}),
    Kind("sum", copied("sum", column="x"), figure(lambda s, rows: rows["x"].sum())),
    Kind("histogram", BINS, lambda s, r, t: {"": _counts(s, r, "x")}),
    Kind("crosstab", asked("crosstab", columns=["c", "x"], bins=_bins), lambda s, r, t: {"": _cross(s, r, ("c", "x"))}),
    Kind("mean", copied("mean", column="x"), figure(_mean("x"), 0, 7)),
    Kind("mean, centred", copied("mean", column="x", method="centred"), figure(_mean("x"), 0, 7)),
    Kind("mean, sum_and_count", copied("mean", column="x", method="sum_and_count"), figure(_mean("x"), 0, 7)),
    Kind("mean, weighted", copied("mean", column="x", survey_weights="w"), figure(_mean("x", True), 0, 7)),
    Kind("proportion", copied("proportion", where=YES), figure(_mean("b"), 0, 0.3, 1)),
    Kind("rate", copied("rate", where=YES), figure(lambda s, r: 1000 * _mean("b")(s, r) if len(r) else None, 0)),
    Kind("ratio", copied("ratio", numerator="y", denominator="x"), figure(_ratio, 0.0, 1.0)),
    Kind("variance", copied("variance", column="x"), figure(lambda s, r: np.var(r["x"]) if len(r) else None, 0, 4)),
    Kind("std", copied("std", column="x"), figure(lambda s, r: np.std(r["x"]) if len(r) else None, 0, 2)),
    Kind("covariance", asked("covariance", columns=["x", "y"]), lambda s, r, t: {"": _matrix(s, r)}),
    Kind("correlation", asked("correlation", columns=["x", "y"]), lambda s, r, t: {"": _correlation(s, r)}),
    Kind("cdf", asked("cdf", column="x", bins=lambda s: s.bins), figure(_below), **ALONE),
    Kind("survey", asked("survey", column="c"), shares, needs=lambda s: {**ROWS, "n": max(1, s.n)}),
    Kind(
        "five numbers with intervals",
        asked("five_numbers", column="x", interval=True),
        figure(_quantile(*FIVE), 3),
        **ALONE,
    ),
    Kind("median with an interval", copied("median", column="x", interval=True), figure(_quantile(0.5), 3)),
    Kind("quantile beside a cdf", beside_a_cdf, figure(_quantile(0.2), 3), **ALONE),
    Kind(
        "many quantiles",
        asked("quantiles", column="x", probs=TWENTIETHS),
        figure(_quantile(*TWENTIETHS), 3),
        **ALONE,
        easy=0,
    ),
    Kind("top", asked("top", column="c", k=lambda s: min(2, s.categories)), top_counts, each=True),
    Kind(
        "threshold",
        asked("threshold", questions=_questions, threshold=20, answers=lambda s: min(2, s.categories), numeric=True),
        above,
        each=True,
        easy=0,
    ),
    Kind("workload", asked("workload", columns=["c", "x", "b"], bins=_bins), tables_of),
    Kind("workload of order 1", asked("workload", columns=["c", "x", "b"], bins=_bins, order=1), tables_of),
    Kind("naive_bayes", lambda s: {**bayes(s), "kind": "naive_bayes"}, odds(bayes), far=3),
    Kind("scorecard", lambda s: {**CARD(s), "kind": "scorecard", "together": "none"}, odds(CARD), far=3),
    Kind("scorecard with pairs", lambda s: {**CARD(s), "kind": "scorecard", "together": "all"}, None, far=3),
    Kind("linear", asked("linear", outcome="y", on=["x", "c"], by=_by), least_squares, easy=0),
    Kind("linear through 0", asked("linear", outcome="y", on=["x"], intercept=False), through_origin, easy=0),
    Kind("linear by medians", asked("linear", outcome="k", on=["x"], method="medians"), through),
    Kind(
        "linear, functional",
        asked("linear", outcome="y", on=["x", "c"], method="functional"),
        least_squares,
        **ALONE,
        easy=0,
    ),
    Kind("naive_bayes, normal", asked("naive_bayes", outcome="b", on=["x"], method="normal"), bells),
    Kind(
        "clusters", asked("clusters", on=["x"], k=lambda s: min(2, s.bins), grid=lambda s: s.bins), regions, each=True
    ),
    Kind("synthetic, residual_tree", asked("synthetic", columns=["c", "x", "b"], bins=_bins), rows_off, **ROWS_MADE),
    Kind(
        "synthetic, mwem", asked("synthetic", columns=["c", "x", "b"], bins=_bins, method="mwem"), rows_off, **ROWS_MADE
    ),
    Kind("naive_bayes, held out", lambda s: {**CARD(s), "kind": "naive_bayes", "held_out": 0.3}, None, **HELD_OUT),
    Kind("scorecard, held out", lambda s: {**CARD(s), "kind": "scorecard", "held_out": 0.3}, None, **HELD_OUT),
    Kind("logistic, held out", asked("logistic", outcome="b", on=["x"], rounds=0, held_out=0.3), None, **HELD_OUT),
    Kind(
        "totals and shares", asked("crosstab", columns=["c", "b"], margins=True, shares=["table", "row"]), with_totals
    ),
    Kind(
        "histogram, discovered",
        asked("histogram", column="found"),
        lambda s, r, t: {"": _counts(s, r, "c")},
        listed=lambda s: [(name,) for name in names(s)],
    ),
    Kind(
        "crosstab, discovered",
        asked("crosstab", columns=["found", "b"]),
        lambda s, r, t: {"": _cross(s, r, ("c", "b"))},
        listed=lambda s: [*product(names(s), ("no", "yes"))],
    ),
    Kind("top, discovered", asked("top", column="found", k=2), top_counts, each=True, easy=0),
    Kind("rates", HISTOGRAM, rates, beside=derived(per="p", times=100)),
    Kind(
        "rates, standardised",
        CROSSTAB,
        standardised,
        beside=derived(per="p", standardise={"over": "b", "weights": "q"}),
    ),
    Kind("index", HISTOGRAM, index, beside=derived(over="c", base="c0"), easy=0.6),
    Kind("change", BINS, change, beside=derived(over="x_from", lag=1)),
    Kind(
        "mean, of the population",
        copied("mean", column="x", survey_weights="w", sampling=True),
        of_population(_mean("x")),
        rows=sample(True),
        turns=4,
        **FEW,
    ),
    Kind(
        "proportion, of the population",
        copied("proportion", where=YES, survey_weights="w", sampling=True),
        of_population(_mean("b")),
        rows=sample(True),
        turns=4,
        **FEW,
    ),
    Kind(
        "linear, of the population",
        asked("linear", outcome="y", on=["x", "c"]),
        line_of_population,
        rows=sample(False),
        turns=10,
        **FEW,
    ),
)
