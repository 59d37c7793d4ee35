"""One room for each change of a running cluster: its plan and how it is carried out."""
