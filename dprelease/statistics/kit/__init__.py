"""The contract kit: what every kind of statistic has to keep, checked on tables made for it (docs/new-statistic.md)."""
