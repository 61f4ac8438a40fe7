"""tinyllm: a language model small enough to read, on numpy alone."""
