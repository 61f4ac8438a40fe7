"""What a run may read, as data: each entry with its reason. What stands nowhere here cannot be opened.

Not here, on purpose: folders of system libraries (what needs one is imported before a run is forked), `/etc`, `/proc`,
`/sys`, `/usr/share/zoneinfo`, the grader's own package (its code is loaded; the course's data lies below it), and the
folder of installed packages as a whole.
"""

from __future__ import annotations

# Top-level names in the folders of installed packages, as folders, or as modules with `.py`.
PACKAGES: dict[str, str] = {
    "numpy": "submodules that numpy loads when they are first used",
    "numpy.libs": "shared libraries of numpy's wheel, for its extension modules",
    "pytest": "what a test is written with",
    "_pytest": "its modules, and source lines for its messages",
    "pluggy": "pytest depends on it",
    "iniconfig": "pytest depends on it",
    "packaging": "pytest depends on it; pytest.importorskip(minversion=…) loads it",
    "pygments": "pytest depends on it; coloured assertion differences load it",
    "exceptiongroup": "pytest depends on it on old Pythons",
    "hypothesis": "strategies that it loads when they are first used, and its own data files",
    "_hypothesis_globals.py": "a module of hypothesis",
    "_hypothesis_ftz_detector.py": "as above",
    "sortedcontainers": "hypothesis depends on it",
    "attr": "hypothesis depended on it",
    "attrs": "as above",
    "msgspec": "records are encoded with it",
    "typing_extensions.py": "packages above import it on old Pythons",
}

# Entries of the standard library's folder that are no standard library: other packages, and the course among them.
NOT_STANDARD_LIBRARY = frozenset({"site-packages", "dist-packages"})

DEVICES: dict[str, str] = {
    "/dev/null": "os.devnull",
    "/dev/urandom": "what reads randomness as a file",
}
WRITABLE_DEVICES = frozenset({"/dev/null"})
