"""Edges of the test bed installed by the playbook: documents, runs of Ansible, and what is served afterwards."""
