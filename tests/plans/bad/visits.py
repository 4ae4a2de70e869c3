"""Twenty mistakes. Type checkers find those that are marked; every one is refused at run time, with a remedy.

Each function is one mistake; `# error` marks the line of which a type checker must complain, and no other line.
"""

import dprelease as dp


class Visits(dp.Columns):
    age = dp.integer(0, 100)
    income = dp.number(0, 1000, resolution=1)
    region = dp.category("north", "south")
    person = dp.text()


class Others(dp.Columns):
    stay = dp.integer(0, 30)


PLAN = dp.plan("visits", Visits, unit="row", neighbors="add_remove", epsilon=1).add(dp.count())
WORKSPACE = dp.Workspace.in_memory()


def unknown_kind() -> object:
    return dp.meen(Visits.age)  # error


def unknown_option() -> object:
    return dp.mean(colum=Visits.age)  # error


def mean_of_category() -> object:
    return PLAN.add(dp.mean(Visits.region))  # error


def number_as_key() -> object:
    return PLAN.add(dp.count(by=Visits.income))  # error


def undeclared_column() -> object:
    return Visits.agee  # error


def unknown_method() -> object:
    return dp.mean(Visits.age, method="middle")  # error


def unknown_relation() -> object:
    return dp.plan("visits", Visits, unit="row", neighbors="ad_remove", epsilon=1)  # error


def no_epsilon() -> object:
    return dp.plan("visits", Visits, unit="row", neighbors="add_remove", epsilon=None)  # error


def missing_bound() -> object:
    return dp.Columns.of({"age": dp.integer(0)})  # error


def text_for_flag() -> object:
    return dp.Columns.of({"region": dp.category("north", other="yes")})  # error


def text_for_number() -> object:
    return dp.histogram(Visits.age, bins="20")  # error


def unknown_change() -> object:
    return PLAN.replace(epsilom=2)  # error


def assignment() -> object:
    PLAN.epsilon = 2  # error
    return PLAN


def text_for_statistic() -> object:
    return PLAN.add("count")  # error


def unit_without_rows() -> object:
    return dp.per(Visits.person)  # error


def mapping_for_plan() -> object:
    return WORKSPACE.publish({"dataset": "visits"})  # error


def reversed_bounds() -> object:
    return dp.Columns.of({"age": dp.integer(100, 0)})


def two_shares() -> object:
    return dp.mean(Visits.age, weight=2, target_error=dp.error(1))


def other_class() -> object:
    return PLAN.add(dp.mean(Others.stay))


def same_id() -> object:
    return PLAN.add(dp.mean(Visits.age, id="n"), dp.mean(Visits.income, id="n"))
