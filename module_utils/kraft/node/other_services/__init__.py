"""Services of a node beside Kafka: collector, node_exporter, metrics proxies, MirrorMaker. Kafka is in ``service``."""
