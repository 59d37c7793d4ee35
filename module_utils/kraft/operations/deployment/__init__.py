"""The plan of a whole deployment as one value: written to a file, approved by a reviewer, and applied unchanged."""
