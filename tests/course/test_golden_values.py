"""The golden values of a lesson are well formed, agree with the closed form, and can tell the faults apart.

The layout of a file is in the docstring of the script beside it, of the same name.
"""

from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest

from tests.course.lessons import COURSE, LESSONS
from tests.course.norms import NORMS, Array, Floats, Formula, Norm

SCALES = {1.0, 1e-3, 1e2, 1e-2}
SHAPES = {(4,), (2, 5, 8), (3, 16), (1, 64)}

# Rounding of a few operations, as a part of the largest value of an array: the float64 formula agrees with every
# stored array to a third of this.
TOLERANCES = {np.dtype(np.float32): 1e-6, np.dtype(np.float64): 1e-14}
# What a course test at float32 can be expected to see: well above its own tolerance of 1e-5.
VISIBLE = 1e-3

each_norm = pytest.mark.parametrize("norm", NORMS.values(), ids=NORMS)
each_group = pytest.mark.parametrize(
    ("norm", "group"),
    [
        pytest.param(norm, group, id=f"{norm.lesson}-{group}")
        for norm in NORMS.values()
        for group in norm.golden.groups
    ],
)


@dataclass(frozen=True)
class Case:
    """One stored forward and backward; the shapes of its arrays are in the script's docstring."""

    key: str
    settings: dict[str, float]
    scale: float
    center: float
    arrays: dict[str, Floats]

    @property
    def eps(self) -> float:
        return self.settings["eps"]

    @property
    def shape(self) -> tuple[int, ...]:
        return self.arrays["x"].shape

    def double(self, name: str) -> Array:
        return self.arrays[name].astype(np.float64)

    def parameters(self, norm: Norm) -> dict[str, Array]:
        return {name: self.double(name) for name in norm.parameters}

    def apply(self, norm: Norm, formula: Formula) -> Array:
        return formula(self.double("x"), self.parameters(norm), self.settings)


def folder(norm: Norm) -> Path:
    return COURSE / "fixtures" / norm.lesson


def path(norm: Norm) -> Path:
    return folder(norm) / f"{norm.golden.stem}.npz"


@cache
def golden(lesson: str) -> dict[str, Floats]:
    # Loading with allow_pickle=False refuses an object array when it is read, and this reads each.
    with np.load(path(NORMS[lesson]), allow_pickle=False) as stored:
        return dict(stored)


def cases_of(norm: Norm, group: str) -> list[Case]:
    stored = golden(norm.lesson)
    return [read_case(norm, group, f"{group}/{i}") for i in range(int(stored[f"{group}/cases"]))]


def read_case(norm: Norm, group: str, key: str) -> Case:
    stored = golden(norm.lesson)
    of_group = {name: float(stored[f"{group}/{name}"]) for name in norm.options[0]}
    names = ["x", "out", "upstream", "grad_x"]
    names += [name for parameter in norm.parameters for name in (parameter, f"grad_{parameter}")]
    return Case(
        key=key,
        settings={"eps": float(stored[f"{key}/eps"]), **of_group},
        scale=float(stored[f"{key}/scale"]),
        center=float(stored.get(f"{key}/center", np.zeros(()))),
        arrays={name: stored[f"{key}/{name}"] for name in names},
    )


def error(actual: Array, expected: Array) -> float:
    """The largest difference as a part of the largest value of either; 0 where both are all zeros."""
    assert actual.shape == expected.shape
    difference = float(np.max(np.abs(actual - expected)))
    return difference and difference / float(np.max(np.abs([actual, expected])))


def errors(norm: Norm, formula: Formula, cases: list[Case]) -> dict[str, float]:
    """How far each case's stored output is from another formula's."""
    return {case.key: error(case.double("out"), case.apply(norm, formula)) for case in cases}


def test_every_lesson_has_golden_values() -> None:
    assert all(path(NORMS[name]).is_file() for name in LESSONS)


@each_norm
def test_the_file_holds_plain_arrays_only(norm: Norm) -> None:
    assert {array.dtype.kind for array in golden(norm.lesson).values()} == {"U", "f", "i"}


@each_norm
def test_the_file_is_small_and_free_of_the_time_it_was_written(norm: Norm) -> None:
    assert path(norm).stat().st_size < 200_000
    with ZipFile(path(norm)) as archive:
        assert {member.date_time for member in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


@each_norm
def test_the_versions_and_the_seed_are_recorded(norm: Norm) -> None:
    stored = golden(norm.lesson)
    assert {name: str(stored[f"meta/{name}"]) for name in norm.golden.versions} == norm.golden.versions
    assert str(stored["meta/cpu_capability"]) == "DEFAULT"
    assert stored["meta/seed"].shape == ()
    assert stored["meta/seed"].dtype == np.int64


@each_norm
def test_the_requirements_pin_what_the_values_were_made_with(norm: Norm) -> None:
    text = (folder(norm) / f"{norm.golden.stem}.requirements.txt").read_text(encoding="utf-8")
    pinned = {line for line in text.splitlines() if not line.startswith("#")}
    libraries = {"numpy", *norm.golden.versions}
    assert pinned == {f"{name}=={golden(norm.lesson)[f'meta/{name}']}" for name in libraries}
    assert f"Python {golden(norm.lesson)['meta/python']} " in text


@each_group
def test_every_class_is_covered(norm: Norm, group: str) -> None:
    assert str(golden(norm.lesson)[f"{group}/source"]) == norm.golden.groups[group]
    assert len(cases_of(norm, group)) == 18


def test_both_conventions_of_the_offset_are_covered() -> None:
    offsets = {group: float(golden("L7.1")[f"{group}/offset"]) for group in ("llama", "gemma")}
    assert offsets == {"llama": 0.0, "gemma": 1.0}


@each_group
def test_every_eps_meets_every_scale(norm: Norm, group: str) -> None:
    pairs = {(case.eps, case.scale) for case in cases_of(norm, group)}
    assert pairs >= set(product(norm.golden.epsilons, SCALES))


@each_group
def test_every_shape_meets_every_eps_and_every_scale(norm: Norm, group: str) -> None:
    cases = cases_of(norm, group)
    assert {(case.shape, case.eps) for case in cases} == set(product(SHAPES, norm.golden.epsilons))
    assert {(case.shape, case.scale) for case in cases} >= set(product(SHAPES, SCALES))


@each_group
def test_every_array_is_finite_and_of_its_type_and_shape(norm: Norm, group: str) -> None:
    of_width = {*norm.parameters, *(f"grad_{name}" for name in norm.parameters)}
    for case in cases_of(norm, group):
        for key, array in case.arrays.items():
            assert array.dtype == norm.golden.dtypes[group], f"{case.key}/{key}"
            assert array.shape == (case.shape[-1:] if key in of_width else case.shape), f"{case.key}/{key}"
            assert np.isfinite(array).all(), f"{case.key}/{key}"


@each_group
def test_the_inputs_have_the_scale_and_the_center_that_are_recorded(norm: Norm, group: str) -> None:
    for case in cases_of(norm, group):
        root_mean_square = float(np.sqrt(np.mean((case.double("x") - case.center) ** 2)))
        assert case.scale / 5 <= root_mean_square <= case.scale * 2, case.key
        assert case.center >= case.scale * norm.centers, case.key


@each_group
def test_only_the_first_case_keeps_the_initial_parameters(norm: Norm, group: str) -> None:
    fresh, *others = cases_of(norm, group)
    for name, start in norm.starts(fresh.settings).items():
        assert (fresh.arrays[name] == start).all()
        for case in others:
            values = case.arrays[name]
            assert (values != start).all(), case.key
            assert len(np.unique(values)) == values.size, case.key


@each_group
def test_the_outputs_agree_with_the_formula(norm: Norm, group: str) -> None:
    found = errors(norm, norm.formula, cases_of(norm, group))
    assert max(found.values()) <= TOLERANCES[np.dtype(norm.golden.dtypes[group])], found


@each_group
def test_the_gradients_agree_with_the_closed_form(norm: Norm, group: str) -> None:
    # A gradient that loses its mean, too, can be small beside what it was made from.
    tolerance = TOLERANCES[np.dtype(norm.golden.dtypes[group])] * (4 if norm.centers else 1)
    for case in cases_of(norm, group):
        parameters, upstream = case.parameters(norm), case.double("upstream")
        wanted = norm.gradients(case.double("x"), parameters, case.settings, upstream)
        found = {name: error(case.double(f"grad_{name}"), wanted[name]) for name in wanted}
        assert max(found.values()) <= tolerance, f"{case.key}: {found}"


@each_group
def test_every_small_input_shows_an_eps_outside_the_root(norm: Norm, group: str) -> None:
    small = [case for case in cases_of(norm, group) if case.scale == 1e-3 and case.eps > 0]
    assert len(small) == 3
    found = errors(norm, norm.eps_outside, small)
    assert min(found.values()) > 0.1, found


@each_group
def test_inputs_of_ordinary_size_barely_show_an_eps_outside_the_root(norm: Norm, group: str) -> None:
    # Why the small inputs are needed: at eps = 1e-6 the two places of eps differ by about eps itself.
    ordinary = [case for case in cases_of(norm, group) if case.scale >= 1 and case.eps == 1e-6]
    assert len(ordinary) >= 2
    found = errors(norm, norm.eps_outside, ordinary)
    assert max(found.values()) < 1e-5, found


@each_group
def test_every_nonzero_input_shows_a_wrong_statistic(norm: Norm, group: str) -> None:
    nonzero = [case for case in cases_of(norm, group) if case.scale > 0]
    # Inputs of size 1e-3 and 1e-2 at eps = 1e-2 are left out: eps outweighs the statistic there, whatever it is.
    telling = [case for case in nonzero if case.eps <= 20 * case.scale**2]
    assert len(telling) == 15
    for formula in norm.wrong_statistics:
        found = errors(norm, formula, telling)
        assert min(found.values()) > VISIBLE, found


@each_group
def test_every_input_of_several_vectors_shows_statistics_over_the_wrong_axis(norm: Norm, group: str) -> None:
    ordinary = [case for case in cases_of(norm, group) if case.scale >= 1 and case.eps > 0]
    stacked = [case for case in ordinary if len(case.shape) > 1]
    found = errors(norm, norm.over_the_first_axis, stacked)
    assert min(found.values()) > VISIBLE, found


@each_norm
def test_every_trained_norm_shows_wrongly_used_parameters(norm: Norm) -> None:
    formula, groups = norm.wrong_parameters
    for group in groups:
        _fresh, *trained = cases_of(norm, group)
        found = errors(norm, formula, [case for case in trained if case.scale > 0])
        assert min(found.values()) > VISIBLE, found


def test_the_error_measure_sees_one_wrong_value() -> None:
    expected = np.array([1.0, -4.0, 2.0])
    assert error(expected, expected) == 0.0
    assert error(np.array([1.0, -4.0, 2.1]), expected) == pytest.approx(0.025)
