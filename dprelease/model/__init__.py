"""The public nouns: schema, privacy, plan, tally queries, release. No rows, no noise, no effects."""
