"""The real test bed: Debian hosts that boot systemd, an ACME server, a gateway, and nginx of both releases.

Nothing here needs a container engine; most of it needs root. `roots` builds the hosts' file systems once,
`hosts` boots them, `services` runs what stands around an edge, `pki` makes certificates, `nginx` runs the
real nginx of either release without a host. tests/README.md tells how to use it in a test.
"""
