"""The lessons of the course, and what their chapters fix of them."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from grader.lesson import Fault, Lesson, fault_source, lesson_ids, load_lesson

COURSE = Path(__file__).resolve().parents[2]
LESSONS: dict[str, Lesson] = {name: load_lesson(COURSE, name) for name in lesson_ids(COURSE)}
FAULTS: dict[str, tuple[Lesson, Fault]] = {
    f"{lesson.id}/{fault.id}": (lesson, fault) for lesson in LESSONS.values() for fault in lesson.faults
}
PROGRAMS: dict[str, dict[str, str]] = {
    lesson.id: {
        "reference": lesson.reference_modules[lesson.module].source,
        **{variant.name: variant.source for variant in lesson.variants},
    }
    for lesson in LESSONS.values()
}


@dataclass(frozen=True)
class Chapter:
    """What a lesson's chapter fixes.

    Attributes:
        tests: its course tests in order, each with its kind.
        pitfalls: its faults in order, each with tests that must be among those that catch it.
        numbered: how many of these, from the first, are in the chapter's numbered table.
        built: what the learner writes, by qualified name.
        given: what the template holds complete.
        starter: the starter test.
    """

    tests: Mapping[str, str]
    pitfalls: Mapping[str, frozenset[str]]
    numbered: int
    built: tuple[str, ...]
    given: frozenset[str]
    starter: str


CHAPTERS = {
    "L7.1": Chapter(
        tests={
            "test_hand_example": "unit",
            "test_golden_hf_llama": "golden",
            "test_golden_hf_gemma_offset": "golden",
            "test_eps_inside_the_root": "golden",
            "test_gradcheck_x_and_gain": "gradcheck",
            "test_unit_rms_and_scale_invariance": "property",
            "test_no_mean_is_subtracted": "boundary",
            "test_parameter_names_and_init": "unit",
            "test_pre_norm_residual_identity_path": "property",
            "test_pre_norm_residual_adds_the_branch": "unit",
            "test_normalizes_each_vector_on_its_own": "property",
            "test_validation": "boundary",
        },
        pitfalls={
            "s01": frozenset({"test_eps_inside_the_root"}),
            "s02": frozenset({"test_no_mean_is_subtracted", "test_hand_example"}),
            "s03": frozenset({"test_golden_hf_gemma_offset"}),
            "s04": frozenset({"test_pre_norm_residual_identity_path"}),
            "s05": frozenset({"test_normalizes_each_vector_on_its_own"}),
            "s06": frozenset({"test_parameter_names_and_init"}),
            "s07": frozenset({"test_hand_example"}),
            "s08": frozenset({"test_pre_norm_residual_adds_the_branch"}),
            "s09": frozenset({"test_golden_hf_llama", "test_gradcheck_x_and_gain"}),
        },
        numbered=4,
        built=("RMSNorm.__init__", "RMSNorm.forward", "pre_norm_residual"),
        given=frozenset(),
        starter="test_one_vector_by_hand",
    ),
    "L0.4": Chapter(
        tests={
            "test_hand_example": "unit",
            "test_golden_torch": "golden",
            "test_golden_torch_float64": "golden",
            "test_eps_inside_the_root": "golden",
            "test_gradcheck_x": "gradcheck",
            "test_gradcheck_gain_and_shift": "gradcheck",
            "test_mean_zero_and_variance_one": "property",
            "test_scale_and_shift_invariance": "property",
            "test_a_constant_vector_gives_the_shift": "boundary",
            "test_parameter_names_and_init": "unit",
            "test_normalizes_each_example_on_its_own": "property",
            "test_post_norm_residual_normalizes_the_sum": "unit",
            "test_post_norm_residual_feeds_the_stream_to_the_sublayer": "unit",
            "test_post_norm_residual_has_no_identity_path": "property",
            "test_validation": "boundary",
        },
        pitfalls={
            "ln01": frozenset({"test_normalizes_each_example_on_its_own"}),
            "ln02": frozenset({"test_a_constant_vector_gives_the_shift"}),
            "ln03": frozenset({"test_hand_example", "test_mean_zero_and_variance_one"}),
            "ln04": frozenset({"test_eps_inside_the_root"}),
            "ln05": frozenset({"test_post_norm_residual_has_no_identity_path"}),
            "ln06": frozenset({"test_hand_example"}),
            "ln07": frozenset({"test_gradcheck_gain_and_shift"}),
            "ln08": frozenset({"test_gradcheck_gain_and_shift"}),
            "ln09": frozenset({"test_gradcheck_x"}),
            "ln10": frozenset({"test_scale_and_shift_invariance"}),
            "ln11": frozenset({"test_post_norm_residual_normalizes_the_sum"}),
            "ln12": frozenset({"test_post_norm_residual_has_no_identity_path"}),
        },
        numbered=5,
        built=("LayerNorm.__init__", "LayerNorm.forward", "post_norm_residual"),
        given=frozenset({"Module", "_named_parameters", "Linear", "_uniform", "Embedding"}),
        starter="test_one_vector_by_hand",
    ),
}


def load(lesson: Lesson, source: str) -> ModuleType:
    """The lesson's module made from that source, beside the reference's other modules."""
    module = ModuleType(lesson.module)
    exec(compile(source, "<program>", "exec", dont_inherit=True), vars(module))  # noqa: S102 - the course's own source
    return module


def faulty(lesson: Lesson, fault: Fault) -> str:
    """The lesson's module with the fault in it."""
    return fault_source(lesson, fault)[lesson.module_file]


def template_of(lesson: Lesson) -> Path:
    """What a learner starts with."""
    return lesson.root / "student_template" / lesson.id


def definitions(source: str) -> dict[str, str]:
    """The functions and classes of a module, as the text of their trees: comments and layout do not count."""
    tree = ast.parse(source)
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    return {node.name: ast.dump(node) for node in found}
