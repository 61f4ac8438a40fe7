"""How the files of an OUT are called."""

FILE = "grades.sqlite"
LOCK = "grades.lock"
