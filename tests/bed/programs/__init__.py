"""Programs that run on a bed's control side, each in a process of its own."""
