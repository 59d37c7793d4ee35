"""Removal of a node from its host."""
