"""The process of a node: its unit, its inputs, its failures."""
