"""Which layers work here, as root and as nobody, and what is said when one does not."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from grader import doctor
from grader.errors import ExitCode, SandboxUnavailableError
from grader.workers.sandbox import Layer, Layers, choose, kernel, probes
from grader.workers.sandbox.layers import ALWAYS, REQUIRED

from .inside import REQUIRED_HERE, Ground, in_a_child, refused, run_under

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = [pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")]
NOBODY = 65534


@REQUIRED_HERE
def test_everything_that_require_needs_works_here() -> None:
    found = choose("require")
    assert set(REQUIRED) <= set(found.active)
    assert set(found.active) | set(found.missing) == set(Layer)


def test_off_leaves_the_limits_and_says_why_the_rest_is_missing() -> None:
    found = choose("off")
    assert found.active == ALWAYS
    assert set(found.missing.values()) == {probes.OFF}
    assert found.names == ("rlimits", "no_new_privs")


@pytest.mark.parametrize("layer", REQUIRED)
def test_require_refuses_and_names_what_is_missing_and_its_fix(
    layer: Layer, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = Layers(tuple(each for each in Layer if each is not layer), {layer: "it has none"})
    monkeypatch.setattr(probes, "probe", lambda *_where: found)
    with pytest.raises(SandboxUnavailableError) as caught:
        choose("require")
    assert caught.value.exit_code == ExitCode.HARNESS
    assert f"{layer} (it has none; {probes.fix_of(layer)})" in str(caught.value)
    assert choose("auto") == found


def test_require_does_without_namespaces(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Layers(REQUIRED, {Layer.PID_NAMESPACE: "no"})
    monkeypatch.setattr(probes, "probe", lambda *_where: found)
    assert choose("require") == found


@pytest.mark.parametrize(
    ("place", "layer"),
    [
        ("grader.workers.sandbox.seccomp.Filter.enter", Layer.SECCOMP),
        ("grader.workers.sandbox.landlock.Rules.enter", Layer.LANDLOCK),
        ("grader.workers.limits.gain_nothing", Layer.NO_NEW_PRIVS),
        ("grader.workers.sandbox.namespaces.enter_ipc", Layer.IPC_NAMESPACE),
        ("grader.workers.sandbox.namespaces.enter_mounts", Layer.MOUNT_NAMESPACE),
    ],
)
def test_a_layer_that_is_put_on_and_refuses_nothing_does_not_count(
    place: str, layer: Layer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place, lambda *_arguments: None)
    found = probes.probe()
    assert layer not in found.active
    assert found.missing[layer]


def test_a_probe_that_dies_counts_as_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes, "_try_the_rest", lambda _temp: os._exit(1))
    assert dict.fromkeys(REQUIRED, probes.LOST).items() <= probes.probe().missing.items()


def test_probing_changes_nothing_in_this_process() -> None:
    before = (resource.getrlimit(resource.RLIMIT_NOFILE), kernel.prctl(kernel.PR_GET_NO_NEW_PRIVS, 0))
    probes.probe()
    assert before == (resource.getrlimit(resource.RLIMIT_NOFILE), kernel.prctl(kernel.PR_GET_NO_NEW_PRIVS, 0))


def test_probing_imports_nothing_heavy() -> None:
    code = (
        "import sys; from grader.workers.sandbox import choose; choose('auto');"
        "print({'numpy', 'pytest', 'rich', 'msgspec'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


# --------------------------------------------------------------------------- as nobody


def as_nobody(act: Callable[[], object]) -> object:
    """What `act` returns in a process without any privilege."""
    if os.geteuid() != 0:
        return in_a_child(act)

    def become_nobody() -> object:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        kernel.prctl(kernel.PR_SET_DUMPABLE, 1)  # as it is for a process that was never root
        return act()

    return in_a_child(become_nobody)


@REQUIRED_HERE
def test_nobody_has_all_that_require_needs() -> None:
    found = as_nobody(probes.probe)
    assert isinstance(found, Layers), found
    assert set(REQUIRED) <= set(found.active), found.missing


def _opened_to_nobody(ground: Ground) -> Ground:
    """Let anyone read and write it all, so that only the sandbox is in the way."""
    for folder in (ground.outside, *ground.outside.parents):
        if folder.name.startswith(("pytest-", "popen-", "test_")) or folder in (ground.outside, ground.home):
            folder.chmod(0o777)
    for path in (ground.home, ground.suite, ground.temp, ground.sibling, ground.outside):
        path.chmod(0o777)
    ground.secret.chmod(0o666)
    return ground


@REQUIRED_HERE
@pytest.mark.parametrize(
    "forbidden",
    [
        lambda g: g.secret.read_text(),
        lambda g: g.secret.write_text("mine"),
        lambda g: list(g.home.iterdir()),
        lambda g: (g.sibling / "notes").read_text(),
        lambda g: os.kill(g.parent, 0),
        lambda _: os.fork(),
        lambda _: os.socketpair() if hasattr(os, "socketpair") else __import__("socket").socket(),
    ],
    ids=["read", "write", "list", "sibling", "signal", "fork", "socket"],
)
def test_nobody_is_held_as_root_is(forbidden: Callable[[Ground], object], ground: Ground) -> None:
    opened = _opened_to_nobody(ground)
    assert refused(as_nobody(lambda: run_under(REQUIRED, forbidden, opened)))


@REQUIRED_HERE
def test_nobody_could_do_without_landlock(ground: Ground) -> None:
    opened = _opened_to_nobody(ground)
    assert as_nobody(lambda: run_under([], lambda g: g.secret.read_text(), opened)) == "secret\n"


# --------------------------------------------------------------------------- the doctor


def test_the_doctor_has_a_line_for_every_layer_and_for_the_speed_of_a_fork() -> None:
    checks = doctor.examine()
    assert [check.name for check in checks] == [*(str(layer) for layer in Layer), "fork"]
    assert all(check.sentence for check in checks)


def test_the_doctor_faults_a_missing_layer_only_if_require_needs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    missing = {Layer.LANDLOCK: "it has none", Layer.PID_NAMESPACE: "not allowed"}
    found = Layers(tuple(layer for layer in Layer if layer not in missing), missing)
    monkeypatch.setattr(doctor, "probe", lambda: found)
    checks = {check.name: check for check in doctor.examine()}
    assert not checks["landlock"].ok
    assert "it has none" in checks["landlock"].sentence
    assert checks["landlock"].fix == probes.fix_of(Layer.LANDLOCK)
    assert checks["pid_namespace"].ok
    assert "not allowed" in checks["pid_namespace"].sentence
    assert checks["seccomp"].ok
    assert "a socket" in checks["seccomp"].sentence
