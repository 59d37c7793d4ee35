"""Control side: what the inventory asks for, whether it may be, and what follows from it."""
