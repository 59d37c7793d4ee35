"""The Spark smoke test: write, read back, account for every record, report."""
