"""Your oracle tests for L0.4: an answer found without tinyllm, compared with what the module gives.

They are graded by what they notice. Every test here must pass on a correct module, whoever wrote it, and each
of the course's faults should make one of them fail: `ol check L0.4`.
"""

import numpy as np

from tinyllm.autograd.tensor import Tensor
from tinyllm.nn.layers import LayerNorm


def test_one_vector_by_hand():
    # (1, 2, 2, 7): the mean is 3, the deviations are -2, -1, -1, 4, and what they are divided by is the root of 5.5.
    norm = LayerNorm(4, eps=0.0)
    y = norm(Tensor([1.0, 2.0, 2.0, 7.0]))
    # Correct modules differ in their last digits, so compare within a tolerance and never with ==.
    np.testing.assert_allclose(y.data, np.array([-2, -1, -1, 4]) / np.sqrt(5.5), rtol=1e-5)


# This is the shape of an oracle test: an input, an answer from elsewhere, a comparison that allows for
# rounding. One vector notices little. Write the formula once, in numpy and float64, then ask what the test
# above cannot see:
#
#   - The argument eps plays no part in it. For which inputs does it change the output a lot?
#   - It has one vector. What could go wrong only when there are several?
#   - It never sets weight and bias. What could be wrong with the initial ones, or only with others, or only
#     when both are others?
#   - It never goes backward. Three tensors should get a gradient: estimate each by moving one element a little.
#   - The module has a residual step. What should become of x when the sublayer gives nothing, and what when it
#     gives something? What is the size of the result?
#
# Look at every oracle with suspicion: the same misunderstanding in it and in the module passes unnoticed.
