"""The example site's edge on a host of this machine: everything real, nothing outside its own namespaces."""
