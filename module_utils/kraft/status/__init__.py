"""The present state of a cluster: leader, lag, nodes that could go down, drift."""
