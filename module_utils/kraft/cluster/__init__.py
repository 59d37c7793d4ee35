"""A running cluster: how it is asked, what it answers, whether it is healthy, who may go down."""
