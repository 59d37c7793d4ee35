"""What is measured of a cluster, and what is watched: for the agent of each node, and for Prometheus."""
