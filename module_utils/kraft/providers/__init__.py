"""Providers of machines."""
