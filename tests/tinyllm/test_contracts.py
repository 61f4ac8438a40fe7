"""The contracts that learners read agree with the reference that they describe."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

REFERENCE = Path(__file__).parents[2] / "reference"
CONTRACTS = REFERENCE / "contracts"

# Only our own signatures are compared: to read numpy's types too would take four times as long.
MYPY_CONFIG = """
[mypy]
[mypy-numpy.*]
follow_imports = skip
follow_imports_for_stubs = True
"""

CHANGES = [
    ("eps: float = 1e-6", "eps: float = 1e-5"),
    ("def forward(self, x: Tensor)", "def forward(self, y: Tensor)"),
    ("    weight: Tensor", "    weight: Tensor\n    def gain(self) -> Tensor: ..."),
    ("def pre_norm_residual", "def pre_norm"),
]


def stubtest(folder: Path, contracts: Path, *modules: str) -> subprocess.CompletedProcess[str]:
    config = folder / "mypy.ini"
    config.write_text(MYPY_CONFIG)
    return subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "--concise", "--mypy-config-file", str(config), *modules],
        cwd=folder,
        env=os.environ | {"MYPYPATH": str(contracts), "PYTHONPATH": str(REFERENCE)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_module_has_a_contract() -> None:
    modules = {p.relative_to(REFERENCE) for p in REFERENCE.glob("tinyllm/**/*.py")}
    contracts = {p.relative_to(CONTRACTS).with_suffix(".py") for p in CONTRACTS.glob("tinyllm/**/*.pyi")}
    assert modules == contracts


def test_contracts_and_reference_agree(tmp_path: Path) -> None:
    result = stubtest(tmp_path, CONTRACTS, "tinyllm")
    assert result.returncode == 0, result.stdout + result.stderr


def test_changed_contracts_are_found(tmp_path: Path) -> None:
    contracts = tmp_path / "contracts"
    shutil.copytree(CONTRACTS, contracts)
    stub = contracts / "tinyllm/modern/norm.pyi"
    text = stub.read_text()
    for written, changed in CHANGES:
        assert written in text
        text = text.replace(written, changed)
    stub.write_text(text)
    result = stubtest(tmp_path, contracts, "tinyllm.modern.norm")
    assert result.returncode == 1
    for name in ("RMSNorm.__init__", "RMSNorm.forward", "RMSNorm.gain", "pre_norm", "pre_norm_residual"):
        assert f"tinyllm.modern.norm.{name} " in result.stdout
