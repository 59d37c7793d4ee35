"""Voters of the metadata quorum: who comes, who goes, and whether that is safe. On a node, through the client."""
