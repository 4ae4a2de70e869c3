"""The one SQL query that answers all tallies of a plan: code the rows once, then one GROUP BY per key set."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from dprelease.model.column import Column
from dprelease.model.condition import Condition
from dprelease.model.reading_report import STATES, CellState
from dprelease.model.recurring import PeriodWindow
from dprelease.model.tally import DiscoveryQuery, Key, Measure
from dprelease.table.cell_state import MAX_SHAPES, joint_sql, made_state_sql, plain_sql, shape_sql, state_sql
from dprelease.table.dialect import WORD, Dialect
from dprelease.table.fold import cell_of_codes, cell_sql, compared, is_long, score_cell
from dprelease.table.held_out import in_part, numbered
from dprelease.table.identifier import without_codes
from dprelease.table.made_columns import in_steps, layers, stored_names
from dprelease.table.mix import Value, mixed, one_to_one, ordered
from dprelease.table.periods import DAY, in_turn
from dprelease.table.rows import RowSource
from dprelease.table.tally import KeySet, known_units, parted
from dprelease.table.values import values_of


@dataclass(frozen=True)
class Complete:
    """Names of codes, by column; and of those that are made NULL where a row lacks a code that all measures need.

    No measure tests again what is needed: codes of their own tell it, or the key of the rows.
    """

    codes: Mapping[str, str]
    own: Mapping[str, str]
    needed: frozenset[str] = frozenset()

    def source(self, rows: str, dialect: Dialect) -> str:
        """Return SQL of the rows, beside codes of their own."""
        if not self.own:
            return rows
        whole = " AND ".join(f"{code} IS NOT NULL" for name, code in self.codes.items() if name in self.needed)
        listed = ", ".join(f"CASE WHEN {whole} THEN {self.codes[name]} END AS {own}" for name, own in self.own.items())
        return f"(SELECT *, {listed} FROM {rows}{dialect.fence}) AS complete"

    def tested(self, measure: Measure) -> list[str]:
        """Return SQL of the codes that a row must have to count, but for those without which its product is NULL."""
        others = [name for name in measure.present if name not in measure.factors]
        told = [] if not self.own or self.own.keys() & set(measure.factors) else [next(iter(self.own.values()))]
        return told + [self.codes[name] for name in others if name not in self.needed]

    def product(self, measure: Measure) -> str:
        """Return SQL for the product a row adds: NULL where a factor has no code; an empty text without factors."""
        return " * ".join(self.own.get(name, self.codes[name]) for name in measure.factors)


def complete(measures: Sequence[Measure], codes: Mapping[str, str], *, keyed: bool = False) -> Complete:
    """Return the codes for the measures of one GROUP BY, with codes of their own where that is quicker.

    `keyed`: the key of a row is NULL where it lacks a code that is needed.

    With codes of their own all codes needed are compared for each that is multiplied, instead of for each measure: a
    linear model of 8 predictors has 55 measures that need 9 codes each.
    """
    sets = [frozenset((*each.factors, *each.present)) for each in measures] or [frozenset()]
    needed = frozenset.intersection(*sets)
    if keyed:
        return Complete(codes, {}, needed)
    multiplied = {name for measure in measures for name in measure.factors} & needed
    if len(needed) < 2 or not multiplied or len(measures) <= 2 * len(multiplied):
        return Complete(codes, {})
    return Complete(codes, {name: f"p{code}" for name, code in codes.items() if name in multiplied}, needed)


MAX_LOOKED_UP = 2**17
"""Codes of a column that are listed in a query, with the cell of each."""
TEXTS = 2**60 + 1
"""Bound above the number of a text, or 0 for none."""


def tally_sql(sets: Sequence[KeySet], rows: RowSource, dialect: Dialect, columns: Sequence[str] = ()) -> str:
    """Rows (g, cell, m0, m1, ...): measure values of each non-empty cell of key set g; cell -1 is of dropped rows.

    Where a measure has factors, h0, h1, ... are the parts of the values above WORD: the value is m + WORD·h.

    `columns`: what the whole plan looks at, so that every query of it keeps the same rows of a unit.
    """
    used = (*columns, *(name for key_set in sets for name in key_set.columns))
    return _Builder(rows, dialect, used).tallies(sets)


Stream = tuple[str, list[str], list[int]]
"""SQL of all rows (u, ...) before they are cut; the names that `kept_sql` needs; what each code + 1 stays below."""


def ordered_sql(sets: Sequence[KeySet], rows: RowSource, dialect: Dialect, columns: Sequence[str]) -> Stream:
    """Rows (u, place, ...), each unit's together and in the order in which they are kept."""
    builder = _Builder(rows, dialect, columns)
    return builder.in_order(known_units(sets)), *builder.needed(known_units(sets))


def coded_sql(sets: Sequence[KeySet], rows: RowSource, dialect: Dialect, columns: Sequence[str]) -> Stream:
    """Rows (u, c0, c1, ...) in any order."""
    builder = _Builder(rows, dialect, columns)
    return builder.unordered(known_units(sets)), *builder.needed(known_units(sets))


def kept_sql(
    sets: Sequence[KeySet], rows: RowSource, dialect: Dialect, columns: Sequence[str], codes: str, *, once: bool = False
) -> str:
    """Write what `tally_sql` does, of codes of the rows that count. `once`: they can be read once only."""
    return _Builder(rows, dialect, columns).tallies(sets, codes, " MATERIALIZED" if once else "")


def codes_sql(rows: RowSource, dialect: Dialect, columns: Sequence[str]) -> str:
    """Rows (c0, c1, ...): all that pass the filter, where none are cut."""
    return _Builder(rows, dialect, columns).all_codes()


def discovery_sql(query: DiscoveryQuery, rows: RowSource, dialect: Dialect, columns: Sequence[str] = ()) -> str:
    """Rows (p0, p1, ..., count): the texts and cells of each cell that has rows. `columns` as above."""
    return _Builder(rows, dialect, columns).discovery(query)


def turns_sql(rows: RowSource, dialect: Dialect, window: PeriodWindow) -> str:
    """Rows (u, turn_day): the identifier of each row, and its day in a window; NULL where it has none."""
    day = window.column
    return _Builder(replace(rows, where=(), states=(), window=None), dialect, [day.name]).turns(day)


def shapes_sql(column: str, rows: RowSource, dialect: Dialect) -> str:
    """Rows (shape, count): the most frequent ways in which the unreadable cells of a column are written."""
    return _Builder(rows, dialect, [column]).shapes(column)


class _Builder:
    def __init__(self, rows: RowSource, dialect: Dialect, columns: Sequence[str]) -> None:
        self.rows, self.dialect = rows, dialect
        used = dict.fromkeys((*(condition.column for condition in rows.where), *columns))
        self.codes = {name: f"c{index}" for index, name in enumerate(used) if not rows.schema[name].discover}
        self.texts = {name: f"d{index}" for index, name in enumerate(used) if rows.schema[name].discover}
        self.made = {name: alias for name, alias in self.codes.items() if rows.schema[name].made is not None}
        self.stored = stored_names(rows.schema, self.codes | self.texts)
        alias = {name: self._free(f"read{place}") for place, name in enumerate(self.stored)}
        own = ((alias[name], rows.schema[name], rows.storage[name]) for name in alias)
        self.values = values_of(own, dialect)
        self.read = {name: alias[name] for name in alias if alias[name] in self.values}
        self.states = {names: f"s{place}" for place, names in enumerate(rows.states)}
        self.looked_up: dict[Key, str] = {}
        self.last = "kept" if rows.unit.column is None else "cut"

    def tallies(self, sets: Sequence[KeySet], cut: str | None = None, held: str = "") -> str:
        stated = dict.fromkeys((*self.rows.states, *(key_set.states for key_set in sets if key_set.states)))
        self.states = {names: f"s{place}" for place, names in enumerate(stated)}
        width = max(len(key_set.measures) for key_set in sets)
        wide = any(measure.factors for key_set in sets for measure in key_set.measures)
        if self.dialect.spreads and self.rows.unit.column is None:
            return f"WITH {self._kept()} {self._spread(sets, width, wide)}"
        groups = " UNION ALL ".join(self._group(index, key_set, width, wide) for index, key_set in enumerate(sets))
        number = numbered("u", self.dialect) if parted(sets) else []
        if cut is None:
            return f"WITH {self._rows(number)} {groups}"
        codes = [f"CAST({name} AS BIGINT) AS {name}" for name in (*self.codes.values(), *self.states.values())]
        listed = ", ".join([*known_units(sets), *number, *codes]) or "1 AS one"
        return f"WITH {self.last} AS{held} (SELECT {listed} FROM {cut}) {groups}"

    def shapes(self, column: str) -> str:
        self.states = {(column,): "s0"}
        counted = "SELECT shape, COUNT(*) AS cells FROM kept WHERE s0 = {place} GROUP BY shape"
        found = counted.format(place=STATES.index(CellState.UNREADABLE))
        return f"WITH {self._kept(shaped=column)} {found} ORDER BY cells DESC, shape LIMIT {MAX_SHAPES}"

    def turns(self, day: Column) -> str:
        code = self.dialect.code(day, self.rows.storage[day.name], self.read.get(day.name, ""))
        return f"SELECT {self._identifier()} AS u, {code} AS {DAY} FROM {self._stored()}"

    def in_order(self, units: Sequence[str]) -> str:
        ties = [] if one_to_one(self._values()) else self.parts
        order = ordered(["u", "place", *ties])
        listed = ", ".join(["u", "l * 2147483648 + r AS place", *units[1:], *self._narrow()])
        return (
            f"WITH {self._kept()}, {self._numbered()} SELECT {listed} FROM ({self._mixed()}) AS mixed ORDER BY {order}"
        )

    def unordered(self, units: Sequence[str]) -> str:
        listed = ", ".join(["u", *self._narrow(), *units[1:]])
        return f"WITH {self._kept()}, {self._numbered()} SELECT {listed} FROM numbered"

    def all_codes(self) -> str:
        return f"WITH {self._kept()} SELECT {', '.join(self._narrow())} FROM kept"

    def needed(self, units: Sequence[str]) -> tuple[list[str], list[int]]:
        return [*units, *self.codes.values(), *self.states.values()], [below for _, below in self._values()]

    def _narrow(self) -> list[str]:
        """Return SQL of the codes, and the states of cells, in the smallest types that hold them."""
        schema, narrow = self.rows.schema, self.dialect.narrow
        codes = [f"{narrow(alias, schema[name].codes)} AS {alias}" for name, alias in self.codes.items()]
        return [*codes, *self.states.values()]

    def discovery(self, query: DiscoveryQuery) -> str:
        parts = [self.texts[item] if isinstance(item, str) else self._key(item) for item in query.columns]
        rows = self._looked_up([item for item in query.columns if isinstance(item, Key)])
        names = [f"p{place}" for place in range(len(parts))]
        listed = ", ".join(names)
        given = ", ".join(f"{part} AS {name}" for part, name in zip(parts, names, strict=True))
        present = " AND ".join(f"{name} IS NOT NULL" for name in names)
        unit = self.rows.unit
        own = "" if unit.column is None else "u, n, "
        source = f"SELECT {own}{listed}, COUNT(*) AS counted FROM (SELECT {own}{given} FROM {rows}) AS parts"
        source += f" WHERE {present} GROUP BY {own}{listed}"
        if unit.groups < unit.max_rows:
            numbers = [
                (self.dialect.text_number(name), TEXTS) if isinstance(item, str) else (name, item.cells)
                for name, item in zip(names, query.columns, strict=True)
            ]
            source = self._few_groups(source, names, numbers, "counted")
        total = f"CAST({self.dialect.exact_sum('counted', WORD)} AS BIGINT)"
        return f"WITH {self._rows()} SELECT {listed}, {total} FROM ({source}) AS counts GROUP BY {listed}"

    def _few_groups(self, groups: str, names: Sequence[str], values: Sequence[Value], *others: str) -> str:
        """Keep at most the allowed number of groups of each unit (distinct rows of u, n and names), in mixed order."""
        kept, whole = ["u", "n", *names, *others], [(f"CAST({value} AS BIGINT)", below) for value, below in values]
        rows = mixed(f"({groups}) AS own", kept, "n", whole, self.dialect)
        return self._first(rows, kept, names, self.rows.unit.groups)

    def _first(self, rows: str, kept: Sequence[str], ties: Sequence[str], most: int) -> str:
        """Keep the first `most` rows of each unit, in mixed order."""
        order, listed = ordered(["l", "r", *ties]), ", ".join(kept)
        place = f"ROW_NUMBER() OVER (PARTITION BY u ORDER BY {order}) AS place"
        ranked = f"SELECT {listed}, {place} FROM ({rows}) AS mixed"
        return f"SELECT {listed} FROM ({ranked}) AS ranked WHERE place <= {most}"

    def _kept(self, shaped: str = "") -> str:
        """The common table expressions up to the rows that pass the filter; with the shapes of a column's cells."""
        coded = f"coded AS ({self._stated(f'{self._coded()} FROM {self._stored()}', shaped)})"
        free = {name: f"{alias}_free" for name, alias in self.made.items() if any(name in each for each in self.states)}
        found = layers(self.rows.schema, self.stored, self.made, self.dialect, free)
        steps, last = in_steps([*found, self._made_states(free)] if free else found, "coded", self.dialect)
        passed = f"SELECT * FROM {last}{self._where()}"
        if self.rows.window is not None:
            steps.append(f"passed AS ({passed})")
            passed = in_turn(self.rows.window, "passed", turns_sql(self.rows, self.dialect, self.rows.window))
        return ", ".join([coded, *steps, f"kept AS ({passed})"])

    def _stored(self) -> str:
        """The stored rows; beside them the values that texts say, each made once however often it is used."""
        names = [*self.stored, *([] if self.rows.unit.column is None else [self.rows.unit.column])]
        kept = [self.dialect.name(name) for name in dict.fromkeys(names)]
        return self.values.source(f"{self.rows.source}{self._read()}", kept, self.dialect)

    def _free(self, alias: str) -> str:
        """Return a name that no stored column has."""
        while alias in {name.casefold() for name in self.rows.storage}:
            alias += "_"
        return self.dialect.name(alias)

    def _read(self) -> str:
        if self.rows.empty:
            return " WHERE 1 = 0"
        if not self.rows.part:
            return ""
        unit = "" if self.rows.unit.column is None else self._identifier()
        return f" WHERE {self.rows.part.format(u=unit)}"

    def _identifier(self) -> str:
        column = str(self.rows.unit.column)
        storage = self.rows.storage[column]
        found = self.dialect.identifier(self.dialect.name(column), storage)
        return without_codes(found, storage, self.rows.unit.missing_codes, self.dialect)

    def _rows(self, further: Sequence[str] = ()) -> str:
        """Return SQL of the common table expressions up to the rows that count. `further`: columns beside theirs."""
        if self.rows.unit.column is None:
            return self._kept()
        rows = self._first(self._mixed(), ["u", "n", *self.parts], self.parts, self.rows.unit.max_rows)
        rows = f"SELECT first.*, {further[0]} FROM ({rows}) AS first" if further else rows
        return f"{self._kept()}, {self._numbered()}, cut AS ({rows})"

    @property
    def parts(self) -> list[str]:
        """Parts of a row that count in a plan. Rows of a unit whose parts are equal are interchangeable."""
        return [*self.codes.values(), *self.states.values(), *self.texts.values()]

    def _numbered(self) -> str:
        number = self.dialect.identifier_number("u", self.rows.storage[str(self.rows.unit.column)])
        return f"numbered AS (SELECT {', '.join(['u', *self.parts])}, {number} AS n FROM kept{self.dialect.fence})"

    def _mixed(self) -> str:
        return mixed("numbered", ["u", "n", *self.parts], "n", self._values(), self.dialect)

    def _values(self) -> list[Value]:
        schema = self.rows.schema
        values = [(f"COALESCE({alias} + 1, 0)", schema[name].codes + 1) for name, alias in self.codes.items()]
        states = self.states.items()
        values += [(f"(CAST({alias} AS BIGINT) + 1)", len(STATES) ** len(names) + 1) for names, alias in states]
        texts = [f"COALESCE({self.dialect.text_number(alias)} + 1, 0)" for alias in self.texts.values()]
        return values + [(text, TEXTS) for text in texts]

    def _coded(self) -> str:
        schema, storage = self.rows.schema, self.rows.storage
        parts = []
        for name, alias in self.stored.items():
            find = self.dialect.discovered if schema[name].discover else self.dialect.code
            parts.append(f"{find(schema[name], storage[name], self.read.get(name, ''))} AS {alias}")
        if self.rows.unit.column is not None:
            parts.append(f"{self._identifier()} AS u")
        return ", ".join(parts) or "1 AS one"

    def _stated(self, coded: str, shaped: str) -> str:
        """The coded rows; beside their codes the states of the cells of some columns, one whole number for each set."""
        names = list(dict.fromkeys(name for names in self.states for name in names if name not in self.made))
        if not names:
            return f"SELECT {coded}"
        cells = {name: f"x{place}" for place, name in enumerate(names)}
        listed = ", ".join(f"{self.dialect.name(name)} AS {cell}" for name, cell in cells.items())
        listed += "".join(f", {self.read[name]} AS {cell}_read" for name, cell in cells.items() if name in self.read)
        one = {name: self._state(name, cell) for name, cell in cells.items()}
        sets = {names: alias for names, alias in self.states.items() if names[0] not in self.made}
        told = [f"{joint_sql([one[name] for name in names], self.dialect)} AS {alias}" for names, alias in sets.items()]
        if shaped:
            column = replace(self.rows.schema[shaped], name=cells[shaped])
            told.append(f"{shape_sql(column, self.rows.storage[shaped], self.dialect)} AS shape")
        unit = [] if self.rows.unit.column is None else ["u"]
        kept = ", ".join([*self.stored.values(), *unit, *told])
        return f"SELECT {kept} FROM (SELECT {listed}, {coded}{self.dialect.fence}) AS cells"

    def _made_states(self, unbounded: Mapping[str, str]) -> list[str]:
        sets = {names: alias for names, alias in self.states.items() if names[0] in self.made}
        one = {name: made_state_sql(self.rows.schema[name], alias) for name, alias in unbounded.items()}
        return [f"{joint_sql([one[name] for name in names], self.dialect)} AS {alias}" for names, alias in sets.items()]

    def _state(self, name: str, cell: str) -> tuple[str, str]:
        column, storage = self.rows.schema[name], self.rows.storage[name]
        code = (self.texts if column.discover else self.codes)[name]
        read = f"{cell}_read" if name in self.read else ""
        return plain_sql(column, code), state_sql(replace(column, name=cell), storage, self.dialect, code, read)

    def _where(self) -> str:
        tests = ["u IS NOT NULL"] if self.rows.unit.column is not None else []
        tests += self._tests(self.rows.where)
        return f" WHERE {' AND '.join(tests)}" if tests else ""

    def _tests(self, conditions: Sequence[Condition]) -> list[str]:
        tests = []
        for condition in conditions:
            code = self.codes[condition.column]
            for key, values in condition.codes(self.rows.schema):
                sign = {"at_least": f">= {values[0]}", "at_most": f"<= {values[0]}"}
                tests.append(f"{code} {sign[key]}" if key in sign else f"{code} IN ({', '.join(map(str, values))})")
        return tests

    def _group(self, index: int, key_set: KeySet, width: int, wide: bool) -> str:
        by_unit = key_set.units and self.rows.unit.column is not None
        told = complete(() if by_unit else key_set.measures, self.codes, keyed=key_set.score is not None)
        source = self._looked_up(key_set.keys, told.source(self.last, self.dialect)) + in_part(key_set.part)
        measures = ["COUNT(DISTINCT u)"] if by_unit else [self._measure(measure, told) for measure in key_set.measures]
        totals = [f"m{place}" if place < len(measures) else "CAST(0 AS BIGINT)" for place in range(width)]
        padded = [f"{self.dialect.low(total) if wide else total} AS m{place}" for place, total in enumerate(totals)]
        padded += [f"{self.dialect.high(total)} AS h{place}" for place, total in enumerate(totals) if wide]
        sums = ", ".join(f"{measure} AS m{place}" for place, measure in enumerate(measures))
        if not key_set.shape:
            whole = f"(SELECT {sums} FROM {source}) AS t{index}"
            return f"SELECT {index} AS g, CAST(0 AS BIGINT) AS cell, {', '.join(padded)} FROM {whole}"
        keys = self._keys(key_set, told.needed)
        names = [f"k{place}" for place in range(len(keys))]
        grouped = self.dialect.grouped(cell_sql(keys, key_set.shape), prod(key_set.shape))
        counted = f"SELECT {grouped} AS k, {sums} FROM {source} GROUP BY 1"
        cell = "k"
        if by_unit:
            listed, cell = ", ".join(names), cell_sql(names, key_set.shape)
            given = ", ".join(f"{key} AS {name}" for key, name in zip(keys, names, strict=True))
            present = " AND ".join(f"{name} IS NOT NULL" for name in names)
            own = f"SELECT * FROM (SELECT DISTINCT u, n, {given} FROM {source}) AS each WHERE {present}"
            if self.rows.unit.groups < self.rows.unit.max_rows:
                own = self._few_groups(own, names, list(zip(names, key_set.shape, strict=True)))
            counted = f"SELECT {listed}, COUNT(*) AS m0 FROM ({own}) AS groups{index} GROUP BY {listed}"
        # A row without a cell is counted in cell -1: a filter here would go below the GROUP BY and code rows twice.
        cell = f"COALESCE(CAST({cell} AS BIGINT), -1)"
        return f"SELECT {index} AS g, {cell} AS cell, {', '.join(padded)} FROM ({counted}) AS t{index}"

    def _spread(self, sets: Sequence[KeySet], width: int, wide: bool) -> str:
        """One pass for all key sets: each row of the table makes a row for each of them, and one GROUP BY counts."""
        none = "CAST(NULL AS BIGINT)"
        each = []
        for index, key_set in enumerate(sets):
            keys = self._keys(key_set)
            values = [self._value(measure) for measure in key_set.measures]
            cell = cell_sql(keys, key_set.shape) if keys else "CAST(0 AS BIGINT)"
            each.append([str(index), cell, *values, *[none] * (width - len(values))])
        totals = [self._total(sets, place) for place in range(width)]
        listed = [f"{self.dialect.low(total) if wide else total} AS m{place}" for place, total in enumerate(totals)]
        listed += [f"{self.dialect.high(total)} AS h{place}" for place, total in enumerate(totals) if wide]
        source = self._looked_up([key for key_set in sets for key in key_set.keys])
        spread = self.dialect.spread(source, ["g", "cell", *(f"v{place}" for place in range(width))], each)
        return f"SELECT g, cell, {', '.join(listed)} FROM ({spread}) AS spread WHERE cell IS NOT NULL GROUP BY g, cell"

    def _total(self, sets: Sequence[KeySet], place: int) -> str:
        """Return SQL that adds up the measure at a place, over the rows of one key set in a GROUP BY."""
        measures = [key_set.measures[place] for key_set in sets if place < len(key_set.measures)]
        if not any(measure.factors for measure in measures):
            return f"COUNT(v{place})"
        return self.dialect.exact_sum(f"v{place}", self._below(measures) + 1)

    def _value(self, measure: Measure) -> str:
        """Return SQL for the value a row adds to a measure, as BIGINT; NULL for nothing."""
        tests = [f"{self.codes[name]} IS NOT NULL" for name in measure.present if name not in measure.factors]
        tests += self._tests(measure.where)
        product = " * ".join(self.codes[name] for name in measure.factors) or "CAST(1 AS BIGINT)"
        return f"CASE WHEN {' AND '.join(tests)} THEN {product} END" if tests else product

    def _keys(self, key_set: KeySet, needed: Collection[str] = ()) -> list[str]:
        """The cell of each key, as BIGINT, the score's last; NULL for none. A score's also without what is needed."""
        score, schema = key_set.score, self.rows.schema
        scored = [score_cell(score, self.codes, schema, self.dialect, sorted(needed))] if score else []
        stated = [self.states[key_set.states]] if key_set.states else []
        return [*(self._key(key) for key in key_set.keys), *scored, *stated]

    def _key(self, key: Key) -> str:
        cell = self._coded_cell(key.of_codes)
        return f"CASE WHEN {self.codes[key.column]} IS NULL THEN {key.coded} ELSE {cell} END" if key.missing else cell

    def _coded_cell(self, key: Key) -> str:
        code = self.codes[key.column]
        if key.edges:
            if self._is_looked_up(key):
                return f"{self._look_up(key)}.cell"
            return f"CASE WHEN {code} IS NOT NULL THEN {compared(code, key)} END"
        codes = self.rows.schema[key.column].codes
        if key.cells == codes:
            return code
        cell = self.dialect.scaled(code, codes, key.cells, key.span)
        if key.span == codes:
            return cell
        return f"CASE WHEN {code} >= {key.first_code(key.cells - 1)} THEN {key.cells - 1} ELSE {cell} END"

    def _is_looked_up(self, key: Key) -> bool:
        return is_long(key) and self.rows.schema[key.column].codes <= MAX_LOOKED_UP

    def _look_up(self, key: Key) -> str:
        """Return the name of a list of codes with their cells."""
        return self.looked_up.setdefault(key, f"look{len(self.looked_up)}")

    def _looked_up(self, keys: Sequence[Key], source: str = "") -> str:
        """Return SQL of the rows that count, beside the cells of codes that are looked up."""
        source = source or self.last
        for key in dict.fromkeys(key.of_codes for key in keys):
            if self._is_looked_up(key):
                listed = ", ".join(f"({code}, {cell})" for code, cell in enumerate(cell_of_codes(key)) if cell >= 0)
                name, own = self._look_up(key), self.codes[key.column]
                source += f" LEFT JOIN (VALUES {listed}) AS {name}(code, cell) ON {name}.code = {own}"
        return source

    def _measure(self, measure: Measure, told: Complete) -> str:
        product, tests = told.product(measure), [f"{code} IS NOT NULL" for code in told.tested(measure)]
        if not tests and not measure.where:
            return self.dialect.exact_sum(product, self._below([measure])) if product else "COUNT(*)"
        if not product and len(tests) == 1 and not measure.where:
            return f"COUNT({told.tested(measure)[0]})"
        condition = " AND ".join([*tests, *self._tests(measure.where)])
        if not product:
            return f"COUNT(CASE WHEN {condition} THEN 1 END)"
        return self.dialect.exact_sum(f"CASE WHEN {condition} THEN {product} END", self._below([measure]))

    def _below(self, measures: Sequence[Measure]) -> int:
        """Return a bound above the value that a row adds to any of some measures."""
        return max(prod(self.rows.schema[name].codes for name in measure.factors) for measure in measures)
