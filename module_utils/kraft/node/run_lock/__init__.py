"""One run at a time on a host."""
