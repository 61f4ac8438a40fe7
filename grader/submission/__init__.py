"""The suite that a learner hands in: a folder, a file or an archive, read once, hashed, never touched again."""

from grader.submission.model import Submission
from grader.submission.reading import read_submission

__all__ = ["Submission", "read_submission"]
