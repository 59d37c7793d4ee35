"""What the cluster shall be: nodes, identities, listeners, settings. Pure; runs on the control machine."""
