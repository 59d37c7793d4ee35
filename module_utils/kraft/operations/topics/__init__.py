"""Topics as plans: what differs, where replicas go, and how that is brought about."""
