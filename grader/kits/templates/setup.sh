#!/bin/sh
# Made by `ol kit gradescope`. Gradescope runs this once, as root, when it builds the image of the autograder.
set -eu

ROOT="${OL_AUTOGRADER_ROOT:-/autograder}"
SOURCE="$ROOT/source"

# Python 3.11 or newer, able to make environments. The system's own stays as it is: Gradescope's harness needs it.
suitable() {
    command -v "$1" >/dev/null 2>&1 &&
        "$1" -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

find_python() {
    for python in ${OL_PYTHON:-} python@PYTHON@ python3.13 python3.12 python3.11 python3; do
        if suitable "$python"; then
            echo "$python"
            return 0
        fi
    done
    return 1
}

if ! PYTHON="$(find_python)"; then
    apt-get update
    for version in @PYTHON@ 3.13 3.12 3.11; do
        if apt-get install -y --no-install-recommends "python$version" "python$version-venv"; then
            break
        fi
    done
    PYTHON="$(find_python)" || {
        echo "setup.sh: no Python 3.11 or newer is to be had on this image; choose a newer base image" >&2
        exit 1
    }
fi

"$PYTHON" -m venv "$ROOT/ol"
"$ROOT/ol/bin/python" -m pip install --quiet --disable-pip-version-check \
    --requirement "$SOURCE/requirements.txt" "$SOURCE/@WHEEL@"

# For the build log: what holds the runs here. The machine that grades may be another.
"$ROOT/ol/bin/ol" doctor || echo "setup.sh: look at what ol doctor says above"
