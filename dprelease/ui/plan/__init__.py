"""The screen that makes a plan: statistics, conditions, ε, criteria, drafts and what it costs."""
