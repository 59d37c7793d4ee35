"""Log dirs: what they hold, what may be done to them, and the format tool."""
