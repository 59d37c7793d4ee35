"""The desired state of the cluster: nodes, identities, listeners, settings. Pure; runs on the control machine."""
