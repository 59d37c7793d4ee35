"""The node on its host: machine, files, release, storage and service."""
