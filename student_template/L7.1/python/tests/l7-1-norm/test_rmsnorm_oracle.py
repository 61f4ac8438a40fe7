"""Your oracle tests for L7.1: an answer found without tinyllm, compared with what the module gives.

They are graded by what they notice. Every test here must pass on a correct module, whoever wrote it, and each
of the course's faults should make one of them fail: `ol check L7.1`.
"""

import numpy as np

from tinyllm.autograd.tensor import Tensor
from tinyllm.modern.norm import RMSNorm


def test_one_vector_by_hand():
    # (1, 7): the squares are 1 and 49, their mean is 25, its root is 5.
    norm = RMSNorm(2, eps=0.0)
    y = norm(Tensor([1.0, 7.0]))
    # Correct modules differ in their last digits, so compare within a tolerance and never with ==.
    np.testing.assert_allclose(y.data, [0.2, 1.4], rtol=1e-6)


# This is the shape of an oracle test: an input, an answer from elsewhere, a comparison that allows for
# rounding. One vector notices little. Write the formula once, in numpy and float64, then ask what the test
# above cannot see:
#
#   - Two arguments of RMSNorm play no part in it. For which inputs does each of them change the output a lot?
#   - It has one vector. What could go wrong only when there are several?
#   - It never sets the weight. What could be wrong with the initial one, or only with another?
#   - It never goes backward. Two tensors should get a gradient: estimate each by moving one element a little.
#   - The module has a second function. What should become of x when the sublayer gives nothing, and what
#     when it gives something? Is the answer the same for an x of another size?
#
# Look at every oracle with suspicion: the same misunderstanding in it and in the module passes unnoticed.
