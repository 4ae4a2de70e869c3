"""A plan that no type checker has anything against."""

import dprelease as dp


class Visits(dp.Columns):
    person_id = dp.text()
    age = dp.integer(0, 100, unit="years")
    income = dp.number(0, 200_000, resolution=1)
    region = dp.category("north", "south", "east", "west", other=True)
    urgent = dp.boolean(count_missing_as=False)
    day = dp.date("2025-01-01", "2025-12-31")


plan = dp.plan(
    "visits",
    Visits,
    unit=dp.per(Visits.person_id, max_rows=5),
    neighbors="add_remove",
    epsilon="1",
    title="Hospital visits 2025",
    expected=12_000,
    where=(Visits.age >= 18) & Visits.region.isin("north", "south"),
).add(
    dp.count(),
    dp.count(by=[Visits.region, Visits.day.level("month")], id="monthly"),
    dp.mean(Visits.income, by=Visits.region),
    dp.histogram(Visits.age, bins=20, weight=2),
    dp.proportion(Visits.urgent.is_(True), target_error=dp.error(0.02)),
    dp.synthetic([Visits.age, Visits.region], bins={Visits.age: 5}),
    dp.threshold({"minors": Visits.age <= 17}, 100),
    dp.median(dp.col("income")),
)
other = plan.replace(epsilon=2).without("count")
text: str = other.to_yaml() if plan.diff(other) else ""
