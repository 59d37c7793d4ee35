"""The parts of a test target: their definition, their schedule, and their slowest steps."""
