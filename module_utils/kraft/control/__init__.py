"""What action plugins share; runs on the control machine only."""
