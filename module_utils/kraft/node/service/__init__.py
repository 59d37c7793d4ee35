"""The process of a node: its unit, what it was started with, why it does not run."""
