"""What `verify` checks of a sum of several sites. It shares no code with what makes such sums."""
