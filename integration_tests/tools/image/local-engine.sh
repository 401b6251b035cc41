#!/usr/bin/env bash
# A private Docker engine and a home-made base image, by the name that the Dockerfile has for it, for Debian machines without
# either. Everything it makes stays in one cache folder; the machine gets Debian's docker.io and debootstrap if missing.
set -euo pipefail

CACHE=${LOCAL_ENGINE_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/destination-analytics-service/engine}
SOCKET=$CACHE/docker.sock
BASE=$(sed -n 's/^ARG NODE_IMAGE=\([^@]*\).*/\1/p' "$(dirname "$0")/../../../Dockerfile") # a home-made one has no digest
DOCKER=/usr/bin/docker # Debian's: it brings BuildKit without a plugin
CERTIFICATES=/etc/ssl/certs/ca-certificates.crt

usage() {
  cat >&2 <<USAGE
usage: local-engine.sh COMMAND   (as root)
  hold    engine up, its DOCKER_HOST on standard output; down again at the end of standard input,
          unless somebody else holds it or \`up\` asked to keep it
  up      engine up and kept:  eval "\$(local-engine.sh up)"
  down    engine down, images kept
  clean   engine down, images gone
Images and logs: $CACHE (LOCAL_ENGINE_CACHE chooses another place)
USAGE
  exit 2
}

main() {
  case ${1:-} in
    hold | up | down | clean) ;;
    *) usage ;;
  esac
  [ "$(id -u)" = 0 ] || fail "this needs root"
  mkdir -p "$CACHE"
  exec 7>>"$CACHE/use.lock" 8>>"$CACHE/change.lock" # 7: shared while used; 8: whoever starts or stops
  "$1"
}

hold() {
  flock --shared 7
  trap release EXIT
  trap 'exit 130' INT TERM HUP
  locked ensure
  trap '' INT TERM HUP # from here on the end of standard input is the one signal: it also comes when the caller is killed
  echo "unix://$SOCKET"
  cat >/dev/null || true
}

release() {
  flock 8
  flock --unlock 7
  if [ ! -e "$CACHE/kept" ] && flock --exclusive --nonblock 7; then stop; fi
}

up() {
  touch "$CACHE/kept"
  locked ensure >&2
  echo "export DOCKER_HOST=unix://$SOCKET"
}

down() {
  rm -f "$CACHE/kept"
  locked stop
}

clean() {
  down
  rm -rf --one-file-system "$CACHE"
}

ensure() {
  install_packages
  answers || start
  docker_ image inspect "$BASE" >/dev/null 2>&1 || make_base
}

install_packages() {
  command -v dockerd >/dev/null && command -v debootstrap >/dev/null && [ -x "$DOCKER" ] && return
  say "installing docker.io and debootstrap"
  apt-get update >"$CACHE/apt-update.log" 2>&1 || true # a list too few: the next line tells whether it matters
  DEBIAN_FRONTEND=noninteractive logged apt-install apt-get install --yes --no-install-recommends docker.io debootstrap
}

# Its own networks only: no default bridge, no firewall rules. Builds reach the outside by --network=host.
start() {
  say "starting an engine"
  rm -f "$CACHE/pid"
  setsid dockerd --host "unix://$SOCKET" --pidfile "$CACHE/pid" --data-root "$CACHE/data" --exec-root "$CACHE/exec" \
    --bridge none --iptables=false --ip6tables=false </dev/null >"$CACHE/dockerd.log" 2>&1 7>&- 8>&- &
  for _ in $(seq 120); do
    answers && tidy && return
    kill -0 $! 2>/dev/null || break
    sleep 0.5
  done
  fail "the engine did not start" "$CACHE/dockerd.log"
}

# What a killed run left behind; images stay.
tidy() {
  for kind in container network volume; do docker_ "$kind" prune --force >/dev/null; done
}

stop() {
  local pid
  pid=$(cat "$CACHE/pid" 2>/dev/null || true)
  if [ -n "$pid" ] && [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = dockerd ]; then
    kill "$pid"
    timeout 30 tail --pid "$pid" --follow /dev/null || fail "the engine did not stop" "$CACHE/dockerd.log"
  fi
  unmount_under "$CACHE" # it leaves the host's network namespace mounted
}

# Debian bookworm, Node 24 and npm in the places where the official image has them, user node (1000), and what npm needs
# to know on this machine: its certificates and registry.
make_base() {
  say "making $BASE"
  local work=$CACHE/base root=$CACHE/base/root modules=$CACHE/base/npm/node_modules node
  node=node-linux-$(architecture)
  unmount_under "$work" # an interrupted debootstrap leaves its own
  rm -rf --one-file-system "$work"
  mkdir -p "$work/npm"
  (cd "$work/npm" && logged base-npm npm install --no-save --ignore-scripts --no-audit --no-fund "$node@24" npm@11)
  logged base-debian debootstrap --variant=minbase --include=ca-certificates bookworm "$root" $(mirror)
  install -m 755 "$modules/$node/bin/node" "$root/usr/local/bin/node"
  mkdir -p "$root/usr/local/lib/node_modules" "$root/usr/local/etc"
  cp -R "$modules/npm" "$root/usr/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
  ln -s ../lib/node_modules/npm/bin/npx-cli.js "$root/usr/local/bin/npx"
  cp "$CERTIFICATES" "$root$CERTIFICATES"
  printf '%s\n' "cafile=$CERTIFICATES" "registry=$(npm config get registry 2>/dev/null)" >"$root/usr/local/etc/npmrc"
  chroot "$root" groupadd --gid 1000 node
  chroot "$root" useradd --create-home --uid 1000 --gid 1000 --shell /bin/bash node
  rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*
  tar --create --directory "$root" . | docker_ import --change "ENV NODE_EXTRA_CA_CERTS=$CERTIFICATES" \
    --change 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' --change 'CMD ["node"]' - "$BASE" >/dev/null
  rm -rf "$work"
}

architecture() {
  case $(dpkg --print-architecture) in
    amd64) echo x64 ;;
    arm64) echo arm64 ;;
    *) fail "no Node 24 package for $(dpkg --print-architecture)" ;;
  esac
}

# Where this machine gets Debian's packages from; nothing if it cannot tell: then debootstrap knows a place.
mirror() {
  apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' | head -n 1
}

unmount_under() {
  awk -v under="$1/" 'index($2, under) == 1 { print $2 }' /proc/mounts | sort --reverse | xargs --no-run-if-empty umount
}

answers() { docker_ version >/dev/null 2>&1; }
docker_() { DOCKER_HOST=unix://$SOCKET "$DOCKER" "$@"; }
say() { echo "local engine: $*" >&2; }

locked() {
  flock 8
  "$@"
  flock --unlock 8
}

logged() {
  local log=$CACHE/$1.log
  "${@:2}" >"$log" 2>&1 7>&- 8>&- || fail "$2 failed" "$log"
}

fail() {
  say "$1${2:+; the end of $2:}"
  [ -z "${2:-}" ] || tail -n 5 "$2" >&2
  exit 1
}

main "$@"
