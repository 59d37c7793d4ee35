"""Machines on EC2: what is wanted, what is there, what is missing, who can reach what."""
