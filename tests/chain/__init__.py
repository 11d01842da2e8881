"""The chain that a request takes: nginx at the edge, Envoy as Istio's pilot configures it, then the application."""
