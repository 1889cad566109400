#!/bin/sh
# Sets up PostgreSQL 17 with pgvector from Debian 13 in a folder and runs it on a port, for the full tests of the
# postgres store on machines whose own packages have no pgvector:
#
#   sudo scripts/postgres-with-pgvector.sh /tmp/pgvector 54321
#   PEGBOARD_TEST_POSTGRES_URL=postgresql://postgres@127.0.0.1:54321/postgres npx vitest run src/knowledge/stores/postgres
#
# Needs root and debootstrap (apt-get install debootstrap). Ctrl-C ends the server; the folder can be used again.
# DEBIAN_MIRROR names another mirror, POSTGRES_OPTIONS has settings: "-c shared_buffers=2GB".
set -eu
folder=${1:?usage: postgres-with-pgvector.sh FOLDER PORT}
port=${2:?usage: postgres-with-pgvector.sh FOLDER PORT}
bin=/usr/lib/postgresql/17/bin

if [ ! -x "$folder$bin/postgres" ]; then
  # All packages come with the first stage, so that nothing in the folder has to reach the network by itself.
  debootstrap --variant=minbase --components=main \
    --include=postgresql-17,postgresql-17-pgvector,ca-certificates \
    trixie "$folder" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}"
fi

run() { chroot "$folder" su postgres -s /bin/sh -c "$1"; }
if [ ! -d "$folder/var/lib/postgresql/pegboard" ]; then
  run "$bin/initdb -D /var/lib/postgresql/pegboard -A trust -U postgres --no-sync >/dev/null"
fi
echo "PostgreSQL 17 with pgvector: postgresql://postgres@127.0.0.1:$port/postgres"
exec chroot --userspec=postgres:postgres "$folder" "$bin/postgres" -D /var/lib/postgresql/pegboard -k /tmp -p "$port" \
  -c listen_addresses=127.0.0.1 -c dynamic_shared_memory_type=mmap ${POSTGRES_OPTIONS:-}
