"""The arithmetic that kinds share: keys, moments, sensitivities, and how far sums and ratios of noise reach."""
