"""Grades the tests that a learner wrote: every correct program must pass them, every fault must not."""

__version__ = "0.1.0"
