"""What a host's file system is made of. The roots' key is the hash of this file: an edit here builds them anew."""

from typing import Literal

Release = Literal["bookworm", "trixie"]

RELEASES: tuple[Release, ...] = ("bookworm", "trixie")

NGINX: dict[str, Release] = {"1.22": "bookworm", "1.26": "trixie"}
"""nginx series -> the release that ships it."""

BASE = (
    "ca-certificates",
    "curl",
    "dbus",
    "iproute2",
    "openssh-server",
    "openssl",
    "procps",
    "python3",
    "python3-apt",  # without it ansible.builtin.apt tries to fetch it
    "sudo",
    "systemd",
    "systemd-sysv",
)
"""Installed in every host."""

EDGE = ("certbot", "nginx")
"""Installed in the second layer, which a host can be booted without."""

OFFERED = ("apache2-bin", "libnginx-mod-stream", "python3-venv")
"""Not installed; like EDGE they can be installed on a host without a network."""

MASKED = (
    "apt-daily-upgrade.timer",
    "apt-daily.timer",
    "console-getty.service",
    "dpkg-db-backup.timer",
    "e2scrub_all.timer",
    "e2scrub_reap.service",
    "fstrim.timer",
    "getty.target",
    "systemd-logind.service",
    "systemd-networkd.service",
    "systemd-pcrphase.service",
    "systemd-timesyncd.service",
)
"""Units that only cost boot time in the bed, or look for what it does not have."""

OFFER = "/srv/apt"
"""Where the offered packages lie in the root, as an apt repository of files."""

SOURCES = f"deb [trusted=yes] file:{OFFER} ./\n"

# Runs in mmdebstrap while the root still has a network: fetches the offered packages with all they need.
FETCH = f"""set -eu
rm -f "$1"/var/cache/apt/archives/*.deb
chroot "$1" apt-get install -q -y --download-only {" ".join(EDGE + OFFERED)}
mkdir -p "$1{OFFER}"
mv "$1"/var/cache/apt/archives/*.deb "$1{OFFER}/"
"""

OPERATOR = "admin"
"""A user of every host that is not root and may become root by sudo without a password."""

# Tells systemd that nothing of /usr is newer than /etc and /var: a boot has no caches to rebuild (trixie asks).
SETTLED = "[ ! -x /lib/systemd/systemd-update-done ] || /lib/systemd/systemd-update-done"

# Runs in the finished root, without a network.
FINISH = f"""set -eu
printf '%s' '{SOURCES}' > /etc/apt/sources.list
rm -f /etc/apt/sources.list.d/* /etc/apt/apt.conf.d/99mmdebstrap /etc/ssh/ssh_host_*
printf 'Acquire::Languages "none";\\n' > /etc/apt/apt.conf.d/99languages
apt-get update -q
systemctl mask --quiet {" ".join(MASKED)}
systemctl enable --quiet ssh.service
useradd --create-home --shell /bin/bash {OPERATOR}
printf '%s ALL=(ALL) NOPASSWD: ALL\\n' {OPERATOR} > /etc/sudoers.d/{OPERATOR}
printf '127.0.0.1 localhost\\n::1 localhost\\n' > /etc/hosts
{SETTLED}
rm -rf /var/log/journal /var/cache/apt/*.bin
: > /etc/machine-id
"""

INSTALL = f"""set -eu
export DEBIAN_FRONTEND=noninteractive
apt-get install -q -y --no-install-recommends {" ".join(EDGE)}
{SETTLED}
rm -rf /var/cache/apt/*.bin /var/log/apt /var/log/dpkg.log
"""

MMDEBSTRAP = (
    "--mode=root",
    "--format=directory",
    "--variant=minbase",
    "--aptopt=APT::Install-Recommends false",
    "--aptopt=Acquire::Languages none",
    "--dpkgopt=force-unsafe-io",
    "--dpkgopt=path-exclude=/usr/share/man/*",
    "--dpkgopt=path-exclude=/usr/share/locale/*",
    "--dpkgopt=path-exclude=/usr/share/doc/*",
    "--dpkgopt=path-include=/usr/share/doc/*/copyright",
)
