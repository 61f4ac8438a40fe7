"""One command a module, held there as `command`: flags to settings, settings to the stage that does the work."""
