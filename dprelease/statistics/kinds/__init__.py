"""The kinds of statistics, one file a family: which integers, what sensitivity, how noise becomes estimates."""
