"""Run lock: one run at a time on a host."""
