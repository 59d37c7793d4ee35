"""A machine: its facts, and the files and kernel settings that roles give it."""
