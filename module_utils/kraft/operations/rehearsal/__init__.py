"""A rehearsal of an upgrade: a copy of the metadata log, and nodes on it in a network that has no way out."""
