"""The parts of a test target: what they are, when each may start, which of their steps took longest."""
