"""Release as files that anyone can check: written, signed, read back."""
