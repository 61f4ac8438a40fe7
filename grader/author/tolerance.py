"""How much two numbers have to differ for an input to be a witness: a share of a size that each comparison names.

Of the stored witnesses (`verify/values.py`) the size is the reference's largest element. The search for witnesses
(`witness/differences.py`) and the comparison of candidates (`candidates/probes.py`) take the larger of both values: they
ask for no less, so what the search finds holds as a stored witness, too.
"""

FACTOR = 100  # a difference that a witness shows is that many times the tolerance
TOLERANCES = {"float32": 1e-5, "float64": 1e-9}  # what tests of this precision use, relative
LEAST = {dtype: FACTOR * tolerance for dtype, tolerance in TOLERANCES.items()}
