"""A release of Kafka on a node: unpacked, complete, repaired, and its AppCDS archive."""
