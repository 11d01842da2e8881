"""``python -m devbox.mesh.probe``: the probe of a live site's routes, by the name that laboratories call."""

from platform_deploy.probe import main, probe

__all__ = ["main", "probe"]

if __name__ == "__main__":
    main()
