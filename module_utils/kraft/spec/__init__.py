"""Control side: the desired state of the inventory, its validation, and the values derived from it."""
