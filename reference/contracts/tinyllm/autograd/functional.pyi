from tinyllm.autograd.tensor import Axis, Tensor

def sum(x: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:  # noqa: A001 - numpy's name, used as F.sum
    """The sum over `axis`: an int, a tuple, or None for all."""

def mean(x: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The mean over `axis`: an int, a tuple, or None for all."""

def exp(x: Tensor) -> Tensor: ...
def log(x: Tensor) -> Tensor: ...
def sqrt(x: Tensor) -> Tensor: ...
def tanh(x: Tensor) -> Tensor: ...
def relu(x: Tensor) -> Tensor:
    """max(x, 0), with gradient 0 at 0."""

def silu(x: Tensor) -> Tensor:
    """x s(x), with s the logistic function."""

def gelu(x: Tensor) -> Tensor:
    """x (1 + tanh(sqrt(2/pi) (x + 0.044715 x**3))) / 2."""

def softmax(x: Tensor, axis: int = -1) -> Tensor:
    """exp(x) / sum(exp(x)) over `axis`, without overflow."""
