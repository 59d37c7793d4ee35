"""Hosts on this machine for tests and demos."""
