"""What an adversary can do, computed: pure functions of mechanisms, which read no rows and draw no noise.

`plan` attacks the mechanisms of a plan. `pair`, `repeat` and `together` show what one mechanism, or several copies of
it, tell of two neighbouring tables. `broken` is the gallery of algorithms that are printed and do not hold.
"""
