"""pytest's configuration and session: made once for a submission, before any run is forked.

Nothing of the learner's has a say in it: no ini file, no `addopts`, no environment variable, no entry point, no
parent folder. What a run does with the session is in `child`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import _pytest.config
import _pytest.pathlib
import _pytest.python
from _pytest.config import _prepareconfig
from _pytest.main import Session

if TYPE_CHECKING:
    from pathlib import Path

    from _pytest.config import Config

    from grader.workers.suite import SuiteImporter

# Plugins that print, write, or look at the outside; none of them changes which tests pass.
NOT_LOADED = (
    "cacheprovider",
    "doctest",
    "faulthandler",
    "junitxml",
    "pastebin",
    "setuponly",
    "setupplan",
    "stepwise",
    "terminal",
    "threadexception",
    "unraisableexception",
)


def prepare(root: Path, importer: SuiteImporter, empty: Path, plugin: object) -> Session:
    """A session that has been configured and started, and has collected nothing yet.

    Args:
        root: the suite's root; node ids are relative to it.
        importer: how the suite's files are imported.
        empty: an empty folder of ours, for pytest to be started in and to hold its (empty) configuration file.
        plugin: the object whose hooks record what happens.
    """
    _import_suites_through(importer)
    ini = empty / "pytest.ini"
    ini.write_text("[pytest]\n", encoding="utf-8")
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    os.chdir(empty)
    arguments = [
        f"--rootdir={root}",
        "-c",
        str(ini),
        f"--confcutdir={root}",
        "--capture=no",
        "--assert=plain",
    ]
    for name in NOT_LOADED:
        arguments += ["-p", f"no:{name}"]
    config = _prepareconfig(arguments, plugins=[plugin])
    config.args = [str(root)]
    # No import hook, since the suite is rewritten already; but comparisons are explained as for rewritten code.
    config.option.assertmode = "rewrite"
    return _start(config)


def _import_suites_through(importer: SuiteImporter) -> None:
    for module in (_pytest.python, _pytest.config):
        module.import_path = importer.import_file  # type: ignore[attr-defined]  # the one place pytest imports files


def _start(config: Config) -> Session:
    session = Session.from_config(config)
    config._do_configure()  # noqa: SLF001 - what pytest's own wrap_session does, up to here before the fork
    config.hook.pytest_sessionstart(session=session)
    return session


def use_temp(config: Config, temp: Path) -> None:
    """Let `tmp_path` and its relatives lie below `temp`, in the run that calls this."""
    factory = config._tmp_path_factory  # type: ignore[attr-defined]  # noqa: SLF001 - set by pytest's tmpdir plugin
    factory._given_basetemp = temp  # noqa: SLF001 - as if --basetemp had named it
    factory._basetemp = None  # noqa: SLF001 - as above
