"""What became of every submission: `OUT/grades.sqlite`, to which attempts are added and never taken away."""

from grader.classroom.store.model import Attempt, Key
from grader.classroom.store.store import Store

__all__ = ["Attempt", "Key", "Store"]
