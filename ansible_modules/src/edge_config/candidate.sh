# Tests states of /etc/nginx that are not there yet, in a mount namespace of its own: nothing outside it changes, and nothing is
# left if it is killed. Standard input is the text of the candidate; each argument is a change, `remove:PATH` or `write:PATH`.
# After each change nginx's words are followed by a line `= passed` or `= failed`; first comes the state as it is.
set -eu
space=/run/lock
mount -t tmpfs -o mode=0700 tmpfs "$space"
mkdir "$space/nginx" "$space/log"
cat > "$space/candidate"
cp -a /etc/nginx/. "$space/nginx/"
# nginx's test creates the log files that it does not find.
if [ -d /var/log/nginx ]; then
  (cd /var/log/nginx && find . -type d -print0) | (cd "$space/log" && xargs -0 mkdir -p --)
  mount --bind "$space/log" /var/log/nginx
fi
mount --bind "$space/nginx" /etc/nginx
run() { if nginx -t 2>&1; then echo '= passed'; else echo '= failed'; fi; }
run
for change in "$@"; do
  path=${change#*:}
  rm -f -- "$path"
  case $change in write:*) cp -- "$space/candidate" "$path" ;; esac
  run
done
