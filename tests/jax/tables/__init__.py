"""The cases, a table per topic."""
