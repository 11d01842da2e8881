"""The generated pages of docs/reference about roles, documents, make targets and the command."""
