"""What language models changed since the transformer of 2017."""
