"""Resources of a cluster beside records, as data: users, ACLs and quotas, as the inventory writes them."""
