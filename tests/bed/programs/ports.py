"""Where the backends listen, on the control side's loopback."""

HTTP = 7001
WEBSOCKET = 7002
GRPC = 7003
SLOW = 7004

SLOWNESS = 3.0
"""Seconds that the slow backend waits before each answer."""
