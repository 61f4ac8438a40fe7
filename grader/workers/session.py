"""pytest's configuration, made once in the server, and the session, made once for a submission, before any run is forked.

Nothing of the learner's has a say in it: no ini file, no `addopts`, no environment variable, no entry point, no
parent folder. What a run does with the session is in `child`.
"""

from __future__ import annotations

import codecs
import fnmatch
import os
from typing import TYPE_CHECKING

import _pytest.config
import _pytest.pathlib
import _pytest.python
from _pytest.config import _prepareconfig
from _pytest.main import Session

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from _pytest.config import Config, PytestPluginManager

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


# Plugins that take part in every test for the sake of a fixture or a kind of test: name → the words without one of
# which a suite cannot mean it.
BY_NEED = {
    "capturemanager": ("caps", "capfd"),
    "capture": ("caps", "capfd"),
    "logging-plugin": ("caplog",),
    "logging": ("caplog",),
    "subtests": ("subtests", "subTest"),
    "unittest": ("unittest", "TestCase"),
}


def configure(empty: Path) -> Config:
    """The configuration of pytest, for any suite.

    It takes longer to make than many a suite to run.

    Args:
        empty: an empty folder of ours, for pytest to be started in and to hold its (empty) configuration file.
    """
    empty.mkdir()
    ini = empty / "pytest.ini"
    ini.write_text("[pytest]\n", encoding="utf-8")
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    os.chdir(empty)
    arguments = [
        f"--rootdir={empty}",
        "-c",
        str(ini),
        f"--confcutdir={empty}",
        "--capture=no",
        "--assert=plain",
    ]
    for name in NOT_LOADED:
        arguments += ["-p", f"no:{name}"]
    config = _prepareconfig(arguments, plugins=[])
    # No import hook, since the suite is rewritten already; but comparisons are explained as for rewritten code.
    config.option.assertmode = "rewrite"
    config._do_configure()  # noqa: SLF001 - what pytest's own wrap_session does first
    _fill_caches(config)
    return config


def _fill_caches(config: Config) -> None:
    """What Python would look up or compile in every run that collects, and remembers."""
    for pattern in (*config.getini("python_files"), *config.getini("norecursedirs")):
        fnmatch.fnmatch("", pattern)
    codecs.lookup("unicode_escape")  # ids of parametrised tests


def start(
    config: Config, root: Path, importer: SuiteImporter, plugin: object, texts: Iterable[bytes]
) -> Session:
    """A session that has been started, and has collected nothing yet.

    Args:
        config: of this process; it belongs to this suite from now on.
        root: the suite's root; node ids are relative to it.
        importer: how the suite's files are imported.
        plugin: the object whose hooks record what happens.
        texts: the suite's files.
    """
    _import_suites_through(importer)
    manager = config.pluginmanager
    config.args = [str(root)]
    # What `--rootdir` and `--confcutdir` would have set; no conftest has been looked for yet.
    config._rootpath = root  # noqa: SLF001 - see above
    manager._confcutdir = root  # noqa: SLF001 - see above
    _unregister(manager, texts)
    manager.register(plugin)
    session = Session.from_config(config)
    config.hook.pytest_sessionstart(session=session)
    return session


def _unregister(manager: PytestPluginManager, texts: Iterable[bytes]) -> None:
    whole = b"\n".join(texts)
    for name, words in BY_NEED.items():
        if not any(word.encode() in whole for word in words):
            manager.unregister(name=name)


def _import_suites_through(importer: SuiteImporter) -> None:
    for module in (_pytest.python, _pytest.config):
        module.import_path = importer.import_file  # type: ignore[attr-defined]  # the one place pytest imports files


def use_temp(config: Config, temp: Path) -> None:
    """Let `tmp_path` and its relatives lie below `temp`, in the run that calls this."""
    factory = config._tmp_path_factory  # type: ignore[attr-defined]  # noqa: SLF001 - set by pytest's tmpdir plugin
    factory._given_basetemp = temp  # noqa: SLF001 - as if --basetemp had named it
    factory._basetemp = None  # noqa: SLF001 - as above
