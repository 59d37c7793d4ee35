"""Builds the Ansible collection from the checkout: one step renames what has another name there."""
