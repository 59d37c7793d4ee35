"""A running cluster: requests and responses, health, and which nodes may be shut down."""
