"""What a cluster looks like now: who leads, what is behind, what could go down, what has drifted."""
