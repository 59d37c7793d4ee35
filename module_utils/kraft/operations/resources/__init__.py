"""Users, ACLs and quotas of a running cluster: what differs from the inventory, and how that is brought about."""
