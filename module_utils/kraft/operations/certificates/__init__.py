"""Nodes' certificates: what is wrong with the one that a host has."""
