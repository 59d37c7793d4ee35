"""What an inventory says, and whether it can end well: reading, rules, Kafka's own definitions. Control machine."""
