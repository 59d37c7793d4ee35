"""Settings that Kafka itself keeps, changed while it runs: overrides of brokers, of all brokers, of topics."""
