"""The children of a folder of submissions, in the layouts that people have.

Each layout is a module here whose `entries(folder, children)` gives the entries of the children that are its own;
the others are left to the next.
"""

from grader.classroom.layouts.finding import find_submissions

__all__ = ["find_submissions"]
