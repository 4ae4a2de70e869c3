"""What an adversary can do, computed: functions of mechanisms, which read no rows.

`plan` attacks the mechanisms of a plan. `pair`, `repeat` and `together` show what one mechanism, or several copies of
it, tell of two neighbouring tables. `broken` is the gallery of algorithms that are printed and do not hold. All of it
is pure; `audit` alone draws, the noise of a release on two public numbers.
"""
