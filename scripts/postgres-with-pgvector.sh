#!/bin/sh
# Sets up PostgreSQL 17 with pgvector from Debian 13 in a folder, and runs it when a port is given. `npm test` does so for the
# tests of the postgres store; by hand:
#
#   sudo scripts/postgres-with-pgvector.sh /tmp/pgvector 54321
#   PEGBOARD_TEST_POSTGRES_URL=postgresql://postgres@127.0.0.1:54321/postgres npx vitest run src/knowledge/stores/postgres
#
# Needs root and debootstrap (apt-get install debootstrap). Ctrl-C ends the server; the folder can be used again.
# The packages come from the Debian mirror and through the proxy of this machine's apt, or from DEBIAN_MIRROR.
# POSTGRES_OPTIONS has settings: "-c shared_buffers=2GB". POSTGRES_DATA names the data, for several servers of one folder.
set -eu
folder=${1:?usage: postgres-with-pgvector.sh FOLDER [PORT]}
port=${2:-}
bin=/usr/lib/postgresql/17/bin
data=/var/lib/postgresql/${POSTGRES_DATA:-pegboard}

find_mirror() {
  apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 2>/dev/null | sed -n 's/^Debian|Debian|//p' | head -n 1
}

if [ ! -x "$folder$bin/postgres" ]; then
  mirror=${DEBIAN_MIRROR:-$(find_mirror)}
  if [ -z "${http_proxy:-}" ] && command -v apt-config >/dev/null; then
    proxy=$(apt-config dump --format '%v%n' Acquire::http::Proxy | head -n 1)
    if [ -n "$proxy" ] && [ "$proxy" != DIRECT ]; then export http_proxy="$proxy"; fi
  fi
  # Under another name until it is whole. What an attempt that was cut off has mounted stays as it is.
  rm -rf --one-file-system "$folder.part"
  # All packages come with the first stage, so that nothing in the folder has to reach the network by itself.
  debootstrap --variant=minbase --components=main \
    --include=postgresql-17,postgresql-17-pgvector,ca-certificates \
    trixie "$folder.part" "${mirror:-http://deb.debian.org/debian}"
  rm -rf "$folder.part"/var/cache/apt/archives/*.deb
  mv "$folder.part" "$folder"
fi
if [ -z "$port" ]; then exit 0; fi

if [ ! -d "$folder$data" ]; then
  chroot --userspec=postgres:postgres "$folder" "$bin/initdb" -D "$data" -A trust -U postgres --no-sync >/dev/null
fi
echo "PostgreSQL 17 with pgvector: postgresql://postgres@127.0.0.1:$port/postgres"
# shellcheck disable=SC2086 # several words
exec chroot --userspec=postgres:postgres "$folder" "$bin/postgres" -D "$data" -k /tmp -p "$port" \
  -c listen_addresses=127.0.0.1 -c dynamic_shared_memory_type=mmap ${POSTGRES_OPTIONS:-}
