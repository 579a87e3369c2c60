"""Files that users bring, read without trusting them: each error names file, place and value."""

from sidecut.read.problem import Problem, read_problem

__all__ = ["Problem", "read_problem"]
