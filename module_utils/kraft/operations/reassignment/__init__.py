"""Moves of replicas: which, how many at once, how fast, and until when. Planned purely, done through the client."""
