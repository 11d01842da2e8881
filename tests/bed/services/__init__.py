"""What stands around an edge, run on the bed's control side."""

from bed.services.acme import Acme, Faults
from bed.services.backends import Backends
from bed.services.dns import Dns
from bed.services.gateway import Cluster, Gateway, Route, VirtualHost

__all__ = ["Acme", "Backends", "Cluster", "Dns", "Faults", "Gateway", "Route", "VirtualHost"]
