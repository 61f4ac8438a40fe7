"""How much two numbers have to differ for an input to be a witness: the rule of lesson data, in one place."""

FACTOR = 100  # a difference that a witness shows is that many times the tolerance
TOLERANCES = {"float32": 1e-5, "float64": 1e-9}  # what tests of this precision use, relative
LEAST = {dtype: FACTOR * tolerance for dtype, tolerance in TOLERANCES.items()}
