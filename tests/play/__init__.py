"""Real playbook runs of the collection, with what came of each task as values."""
