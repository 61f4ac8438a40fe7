"""Candidates for new faults: small changes to the reference, each with what the course tests make of it."""
