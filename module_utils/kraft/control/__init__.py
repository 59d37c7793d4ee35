"""Shared code of action plugins; runs on the control machine only."""
