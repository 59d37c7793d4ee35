"""Log dirs: their content, the allowed changes, and the format tool."""
