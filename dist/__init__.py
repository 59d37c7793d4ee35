"""Assembly of files that cannot be downloaded: Kafka's archive, Spark's connector, the modules' Kafka client."""
