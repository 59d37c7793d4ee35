"""A machine: what it is and has, and the files and kernel settings that it is given."""
