"""A real Kubernetes control plane on loopback: etcd, kube-apiserver with its audit log, kube-controller-manager, and KWOK.

Needs neither root nor a container engine. `tools` builds the programs once from the modules that tests/tools/ pins,
`control_plane` starts and stops them, `kwok` stands for the nodes. tests/README.md tells how to use it in a test.
"""
