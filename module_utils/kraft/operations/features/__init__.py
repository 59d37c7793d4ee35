"""Feature flags of a cluster: which are raised, and who holds them back. On a node, through the client."""
