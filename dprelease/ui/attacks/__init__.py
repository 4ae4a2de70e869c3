"""The page of attacks on small worlds: what is chosen, the bar, and the picture."""
