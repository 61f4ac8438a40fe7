"""Tests × faults, with every cell filled, and what the whole table says: which faults and which tests say nothing new."""

from grader.author.matrix.analysis import Analysis, analysed
from grader.author.matrix.model import Cell, FaultColumn, Matrix, SuiteRow, TestRow

__all__ = ["Analysis", "Cell", "FaultColumn", "Matrix", "SuiteRow", "TestRow", "analysed"]
