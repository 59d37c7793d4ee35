"""Assembles what cannot be downloaded as it is: Kafka's archive, Spark's connector, the modules' Kafka client."""
