"""From the report to one place each: a file, a terminal, a service."""
