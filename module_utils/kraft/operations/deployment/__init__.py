"""The plan of a whole deployment as one value: written to a file, approved by somebody, and applied as it is."""
