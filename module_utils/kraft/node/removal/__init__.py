"""The end of a node on its host: what is removed, and what stays."""
