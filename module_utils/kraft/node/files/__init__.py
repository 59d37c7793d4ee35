"""Directories, files and links as they must be."""
