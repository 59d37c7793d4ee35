"""Monitoring of a cluster: metrics for the agent of each node, rules and dashboards for Prometheus."""
