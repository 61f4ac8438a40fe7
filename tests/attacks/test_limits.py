"""What blindness does not hide, and what helps: a list of all published ways to compute, and a way that is not published.

Rewriting keeps what a program computes, step by step. A suite that knows the steps of every correct program that the
course publishes can accept these and reject all else. It is too strict, and a course shows that by one variant more.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import msgspec
import pytest

from tests.attacks.machine import COURSE

if TYPE_CHECKING:
    from pathlib import Path

LIMITS = sorted((COURSE / "fixtures" / "L7.1" / "submissions").glob("limit-*"))
PARTS = ("mutants", "reference", "student_template", "fixtures/L7.1/rmsnorm_hf.npz")
UNPUBLISHED = '''"""A correct program that the attacker has never seen: it scales before it sums."""

from tinyllm.autograd import functional as F
from tinyllm.autograd.tensor import Tensor
from tinyllm.nn.layers import Module
import numpy as np


class RMSNorm(Module):
    """y = x / sqrt(sum((x / sqrt(d))²) + eps) * (offset + weight)."""

    def __init__(self, d: int, eps: float = 1e-6, offset: float = 0.0) -> None:
        if d < 1 or not eps >= 0:
            raise ValueError(f"RMSNorm takes d >= 1 and eps >= 0, and got d={d}, eps={eps}")
        self.d, self.eps, self.offset = d, eps, offset
        self.weight = Tensor(np.full(d, 1 - offset, dtype=np.float32), requires_grad=True)

    def forward(self, x):
        if x.shape[-1:] != (self.d,):
            raise ValueError(f"RMSNorm of width {self.d} got x of shape {x.shape}")
        small = x * self.d**-0.5
        rms = F.sqrt(F.sum(small * small, axis=-1, keepdims=True) + self.eps)
        return (self.weight + self.offset) * (x / rms)


def pre_norm_residual(x, norm, sublayer):
    """The branch first."""
    return sublayer(norm(x)) + x
'''


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Our course with one variant more."""
    folder: Path = tmp_path_factory.mktemp("course")
    for part in PARTS:
        source, target = COURSE / part, folder / part
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    (folder / "reference" / "variants" / "L7.1" / "unpublished.py").write_text(UNPUBLISHED)
    return folder


def graded(suite: Path, course: Path) -> tuple[str, list[str]]:
    """Status of a suite, and the kinds of its problems."""
    command = [sys.executable, "-P", "-m", "grader", "check", "L7.1", "--only", "mutation", "--seed", "7"]
    command += ["--tests", str(suite), "--course", str(course), "--json", "-"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False)
    report = msgspec.json.decode(done.stdout)
    return report["status"], [problem["kind"] for problem in report["validity"]["problems"]]


@pytest.mark.parametrize("folder", LIMITS, ids=lambda folder: folder.name)
def test_a_variant_that_nobody_has_seen_shows_that_the_suite_is_too_strict(
    folder: Path, course: Path
) -> None:
    assert graded(folder / "suite", course) == ("invalid", ["too_strict"])


def test_an_honest_suite_passes_on_the_variant_that_nobody_has_seen(course: Path) -> None:
    assert graded(COURSE / "fixtures/L7.1/submissions/complete/suite", course) == ("passed", [])


def test_there_are_limits_to_be_shown() -> None:
    assert len(LIMITS) == 2
