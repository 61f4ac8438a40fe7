"""Many submissions: who handed in what, what became of each, and the files that tell it."""
