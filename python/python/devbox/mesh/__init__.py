"""What concerns the mesh of a development box."""
