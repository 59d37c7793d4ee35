"""On a host: the machine, files, the release, storage and the service."""
