"""Desired state of directories, files and links."""
