"""Parts below an attack: one draw as the attacker sees it, and where a lesson has a second half, that."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from dprelease.charts.sketch import Points, SketchAxis, SketchSheet, ticks
from dprelease.extras.lab import again, attacks, scenes
from dprelease.extras.lab.chance import integer_laplace, uniforms
from dprelease.extras.lab.experiment import EXPERIMENTS, PRIVATE, AttackRun, question_list
from dprelease.extras.lab.outcome import in_hundred, success_bound, up_in_hundred
from dprelease.extras.lab.portal.lesson import LAB, LessonFigure, LessonPart, LessonTable, told
from dprelease.extras.lab.portal.more import CURVE, with_legend
from dprelease.extras.lab.scenes import SceneCell, SceneTable
from dprelease.extras.lab.worlds import BY_KEY, HIGHEST, KINGS, SIZES, STEP, King
from dprelease.statements.display import shown
from dprelease.words.sentences import Words

SHOWN = Words("ui")
YEARS = 5
HIDDEN = "·"
EVE = 0.67
"""ε of an answer about Eve."""
ANSWERS = (1, 5, 10, 25, 49)
TRIES = (1, 10, 100, 1000)
BUDGET = 2.0
LEFT = (1, 2, 3, 5, 10, 20)


def percent(share: float) -> str:
    return SHOWN.say("attacks_percent", share=shown(in_hundred(share)))


def most(share: float) -> str:
    return SHOWN.say("attacks_percent", share=shown(up_in_hundred(share)))


def scene(chosen: AttackRun) -> LessonPart | None:
    """Return one draw of what is chosen; None where there is nothing to see."""
    draw = SCENES.get(chosen.attack)
    return draw(chosen) if draw else None


def lessons(attack: str) -> tuple[LessonPart, ...]:
    """Return what follows, whatever is chosen."""
    if attack == "repeat":
        return _again(), _left()
    return (_tries(),) if attack == "tracker" else ()


def _difference(chosen: AttackRun) -> LessonPart:
    one, other = scenes.difference(chosen)
    less = HIDDEN if one is None or other is None else shown(one - other)
    rows = (
        (SHOWN["attacks_scene_all"], _answer(one)),
        (SHOWN.say("attacks_scene_without", name=BY_KEY[chosen.world].name), _answer(other)),
        (SHOWN["attacks_scene_less"], less),
    )
    heads = (SHOWN["attacks_count"], SHOWN["attacks_answer"])
    return LessonPart(title=SHOWN["attacks_scene"], tables=(LessonTable(SHOWN["attacks_scene"], heads, rows),))


def _tracker(chosen: AttackRun) -> LessonPart:
    """Return the totals that are asked for, and what is left of them."""
    target, tracked = BY_KEY[chosen.world], question_list(chosen)
    noise = _noise(len(tracked.questions), chosen.epsilon)
    rows, answers = [], []
    for place, question in enumerate(tracked.questions):
        total = sum(king.salary for king in _summed(question, target))
        answer = total + (STEP * int(noise[place]) if chosen.defence == PRIVATE else 0)
        answers.append(answer)
        about = SHOWN.say(f"attacks_about_{question.about}", age=shown(question.age))
        words = shown(answer) if question.allowed else SHOWN["attacks_refused"]
        rows.append((about, shown(question.asked), words))
    signs = (1, -1) if len(answers) == 2 else (1, 1, -1, -1)
    found = sum(sign * each for sign, each in zip(signs, answers, strict=True))
    texts = []
    if tracked.found or chosen.defence == PRIVATE:
        sums = " ".join(f"{'+' if sign > 0 else '−'} {shown(each)}" for sign, each in zip(signs, answers, strict=True))
        values = {"sums": sums.removeprefix("+ "), "found": shown(found), "name": target.name}
        texts.append(LAB.say("tracker_found", **values, salary=shown(target.salary)))
    else:
        texts.append(LAB.say("tracker_refused", name=target.name))
    if chosen.defence == PRIVATE:
        texts.append(LAB.say("tracker_noisy", epsilon=shown(chosen.epsilon), many=len(answers)))
    heads = (SHOWN["attacks_question"], SHOWN["attacks_asked"], SHOWN["attacks_answer"])
    table = LessonTable(SHOWN["attacks_questions"], heads, tuple(rows))
    return LessonPart(title=LAB["tracker_title"], texts=tuple(texts), tables=(table,))


def _summed(question: attacks.SumQuery, target: King) -> Iterator[King]:
    """Yield the kings whose salaries are in a sum."""
    for king in KINGS:
        inside = {
            "all": True,
            "but": king is not target,
            "from": king.age >= question.age,
            "with": king.adult or king is target,
            "less": not king.adult or king is target,
            "adults": king.adult,
            "minors": not king.adult,
        }
        if inside[question.about]:
            yield king


def _noise(sums: int, epsilon: float) -> list[int]:
    """Return the noise of so many sums that share one ε, in steps of a salary."""
    scale = sums * (HIGHEST // STEP) / epsilon
    return [int(each) for each in integer_laplace(uniforms(f"tracker/{sums}/{epsilon}", sums), scale)]


@lru_cache(maxsize=1)
def _salaries() -> tuple[tuple[int, float], ...]:
    """Return so many tries and how often they tell the salary; the last are the first that tell it 95 times in 100."""
    enough = again.first(lambda many: again.salary_told(1.0, many))
    return tuple((tries, again.salary_told(1.0, tries)) for tries in (*TRIES, enough))


def _tries() -> LessonPart:
    """Return how often the tracker is right once both sums have noise and are asked again and again."""
    guess = 1 / (again.SALARY + 1)
    rows = []
    for tries, right in _salaries():
        rows.append((shown(tries), percent(right), shown(2 * tries)))
    heads = (LAB["tracker_tries"], LAB["tracker_right"], LAB["again_spent"])
    bound = most(success_bound(1.0, answers=again.SALARY + 1))
    return LessonPart(
        title=LAB["tracker_again"],
        texts=(
            LAB.say("tracker_again_what", guess=percent(guess)),
            LAB.say("tracker_stops", most=bound),
        ),
        tables=(LessonTable(LAB["tracker_again"], heads, tuple(rows)),),
    )


def _repeat(chosen: AttackRun) -> LessonPart:
    answers = scenes.repeat(chosen)
    seen = [each for each in answers if each is not None]
    mean = shown(round(sum(seen) / len(seen), 1)) if seen else HIDDEN
    texts = [SHOWN.say("attacks_scene_answers", answers=", ".join(map(_answer, answers)), mean=mean)]
    if chosen.defence.startswith("uniform"):
        reach = int(chosen.defence.partition("-")[2])
        left = range(max(seen) - reach, min(seen) + reach + 1)
        texts.append(LAB.say("again_candidates", len(left), left=", ".join(map(shown, left)), count=len(left)))
    return LessonPart(title=SHOWN["attacks_scene"], texts=tuple(texts))


def _again() -> LessonPart:
    """Return what 1 to 49 answers about Eve tell, with an ε for each and with one for all."""
    rows = []
    for copies in ANSWERS:
        best = attacks.best_of_copies(EVE, copies)
        shared = attacks.best_of_copies(EVE / copies, copies)
        mean = again.by_mean(EVE, copies)
        rows.append((shown(copies), percent(best), percent(mean), shown(round(EVE * copies, 2)), percent(shared)))
    heads = ("again_answers", "again_best", "again_mean", "again_spent", "again_shared")
    return LessonPart(
        title=LAB["again_title"],
        texts=(
            LAB.say("again_what", epsilon=shown(EVE)),
            LAB.say("again_stops", epsilon=shown(EVE), budget=shown(BUDGET), many=shown(int(BUDGET / EVE))),
        ),
        figures=(LessonFigure(closing_in, LAB["again_alt"], "closing"),),
        tables=(LessonTable(LAB["again_title"], tuple(LAB[each] for each in heads), tuple(rows)),),
    )


def closing_in() -> SketchSheet:
    """Draw the mean of the first answers about Eve, from one seed, beside both counts."""
    many = ANSWERS[-1]
    drawn = integer_laplace(uniforms("closing in", many), 1 / EVE)
    means = [(float(place), 48 + float(drawn[:place].mean())) for place in range(1, many + 1)]
    low, high = min(each for _, each in means) - 0.5, max(each for _, each in means) + 0.5
    lines: dict[str, Points] = {
        "bound": [(1.0, 48.0), (float(many), 48.0)],
        "guess": [(1.0, 47.0), (float(many), 47.0)],
        "own": means,
    }
    low, high = min(low, 46.5), max(high, 48.5)
    names = {"own": LAB["again_running"], "bound": LAB["again_there"], "guess": LAB["again_gone"]}
    across = SketchAxis(1, many, {float(each): shown(each) for each in (1, 10, 20, 30, 40, 49)}, LAB["again_answers"])
    return with_legend(lines, names, across, SketchAxis(low, high, ticks(low, high, 5), LAB["again_up"]), CURVE)


def _left() -> LessonPart:
    rows = []
    for copies in LEFT:
        pinned, left = again.uniform_left(2, copies)
        rows.append((shown(copies), told(left), percent(pinned)))
    heads = (LAB["again_answers"], LAB["again_left"], LAB["again_pinned"])
    return LessonPart(
        title=LAB["again_uniform"],
        texts=(LAB["again_uniform_what"],),
        tables=(LessonTable(LAB["again_uniform"], heads, tuple(rows)),),
    )


def _people(chosen: AttackRun) -> LessonPart:
    right = scenes.people(
        replace(EXPERIMENTS["reconstruct"].usual("reconstruct"), defence=chosen.defence, epsilon=chosen.epsilon)
    )
    words = SHOWN.say("attacks_scene_people", right=shown(sum(right)), people=shown(len(right)))
    return LessonPart(title=SHOWN["attacks_scene"], texts=(LAB["people_drawn"], words), squares=tuple(right))


def _members(chosen: AttackRun) -> LessonPart:
    number = chosen.number if chosen.number in EXPERIMENTS["membership"].numbers else "300"
    run = AttackRun("membership", "100", chosen.defence, number, chosen.epsilon)
    both = scenes.scores(run)
    rows = tuple(
        (SHOWN[f"attacks_scene_{name}"], *map(str, own)) for name, own in zip(("members", "others"), both, strict=True)
    )
    heads = (LAB["members_score"], *(str(place) for place in range(1, scenes.BARS + 1)))
    table = LessonTable(SHOWN["attacks_scene_scores"], heads, rows)
    words = LAB.say("members_drawn", attributes=shown(int(number)))
    return LessonPart(title=SHOWN["attacks_scene"], texts=(words,), tables=(table,))


def _cells(chosen: AttackRun) -> LessonPart:
    found = scenes.cells(chosen)
    hides = any(each.hidden for row in found.rows for each in row)
    texts = (SHOWN["attacks_scene_hidden"],) if hides else ()
    table = _table(found, SHOWN["attacks_scene_cells"], lambda each: _ends(each) if each.hidden else shown(each.least))
    return LessonPart(title=SHOWN["attacks_scene_cells"], texts=texts, tables=(table,))


def _twice(chosen: AttackRun) -> LessonPart | None:
    found = scenes.twice(chosen)
    if found is None:
        return None
    caption = SHOWN["attacks_scene_changes"]
    table = _table(found, caption, lambda each: HIDDEN if each.hidden else _change(each.least))
    return LessonPart(title=caption, texts=(LAB["twice_drawn"],), tables=(table,))


SCENES: Mapping[str, Callable[[AttackRun], LessonPart | None]] = {
    "difference": _difference,
    "tracker": _tracker,
    "repeat": _repeat,
    "hadamard": _people,
    "scores": _members,
    "cells": _cells,
    "twice": _twice,
}


def _answer(found: int | None) -> str:
    return HIDDEN if found is None else shown(found)


def _ends(cell: SceneCell) -> str:
    return f"[{shown(cell.least)}]" if cell.found else f"[{shown(cell.least)}–{shown(cell.most)}]"


def _change(moved: int) -> str:
    return shown(moved) if moved <= 0 else f"+{shown(moved)}"


def _names(column: str) -> list[str]:
    """Return the names of a column's categories."""
    if column == "band":
        return [f"{YEARS * place}–{YEARS * place + YEARS - 1}" for place in range(SIZES[column])]
    return SHOWN[f"attacks_categories_{column}"].split(", ")


def _table(table: SceneTable, caption: str, text: Callable[[SceneCell], str]) -> LessonTable:
    rows, columns = map(_names, table.columns)
    body = tuple((name, *map(text, cells)) for name, cells in zip(rows, table.rows, strict=True))
    return LessonTable(caption, ("", *columns), body)
