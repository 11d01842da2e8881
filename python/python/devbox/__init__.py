"""Names that operators of development boxes and laboratories type; the work is in ``platform_deploy``."""
