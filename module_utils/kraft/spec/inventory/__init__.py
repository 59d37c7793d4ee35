"""Reading and validation of an inventory: its files, rules, Kafka's own definitions. Control machine."""
