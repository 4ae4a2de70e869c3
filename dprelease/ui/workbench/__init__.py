"""The workbench: statistics, ε and prices, what would be published beside the truth, and the release."""
