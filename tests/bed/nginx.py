"""The real nginx of either release, run without a host.

The program runs in a mount namespace whose file system is the release's, with the machine's own top-level
folders of data (`/home`, `/root`, `/tmp`, ...) in their places: absolute paths of a test's folder mean the
same inside, while `/etc/nginx`, `/usr/share/nginx` and `/var/log/nginx` are the package's, fresh for each
run. Network, process ids and users' numbers are the caller's; the process keeps the caller's child's pid.
"""

import os
import sys

from bed import recipe, roots
from bed.paths import RUN, need_root

_ENTER = r"""set -eu
stage=$1 lower=$2; shift 2
mkdir -p "$stage"
mount -t tmpfs -o mode=755 tmpfs "$stage"
root=$stage/root
mkdir "$stage/upper" "$stage/work" "$root"
mount -t overlay overlay -o "lowerdir=$lower,upperdir=$stage/upper,workdir=$stage/work" "$root"
for folder in /* /var/tmp; do
  [ -d "$folder" ] && [ ! -L "$folder" ] || continue
  case $folder in
    /boot|/etc|/lib|/lib32|/lib64|/libx32|/bin|/sbin|/usr|/var|/run|/media|/mnt|/srv|/lost+found) continue;;
  esac
  mkdir -p "$root$folder"
  mount --rbind "$folder" "$root$folder"
done
[ -d "$root$PWD" ] || { mkdir -p "$root$PWD"; mount --rbind "$PWD" "$root$PWD"; }
exec chroot "$root" sh -c 'cd "$1"; shift; exec /usr/sbin/nginx "$@"' sh "$PWD" "$@"
"""


def binary(series: str) -> list[str]:
    """The words to put before nginx's own arguments; `series` is `1.22` or `1.26`. Builds the root if need be."""
    need_root()
    if series not in recipe.NGINX:
        raise LookupError(f"no nginx {series} in the bed: {', '.join(recipe.NGINX)}")
    lower = ":".join(str(layer) for layer in roots.ensure(recipe.NGINX[series]).layers())
    enter = ["sh", "-c", _ENTER, "nginx", str(RUN / "nginx-of"), lower]
    return ["unshare", "--mount", "--propagation", "slave", "--", *enter]


def main() -> None:
    """`nginx-of SERIES [argument ...]`: become that nginx."""
    series, arguments = sys.argv[1:2], sys.argv[2:]
    if not series:
        sys.exit(f"usage: nginx-of {'|'.join(recipe.NGINX)} [nginx argument ...]")
    argv = [*binary(series[0]), *arguments]
    os.execvp(argv[0], argv)  # noqa: S606 - the words are the list above, no shell is meant
