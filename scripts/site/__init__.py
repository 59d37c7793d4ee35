"""The documentation site: the repository's Markdown, and pages that are generated from the code."""
