"""The documentation site: the repository's Markdown, and pages that are made from the code."""
