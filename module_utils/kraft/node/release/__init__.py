"""A release of Kafka on a node: unpacked, complete, and its AppCDS archive."""
