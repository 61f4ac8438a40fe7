"""Reverse-mode automatic differentiation: `tensor` has the graph, `functional` the functions on it."""
