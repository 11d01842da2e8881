"""An edge host and the module that installs its listeners, without Ansible between."""
