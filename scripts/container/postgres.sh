#!/bin/sh
# Starts PostgreSQL with the settings of the image in deploy/compose.yaml, in an empty volume or in one that has a cluster.
set -eu
data=${PGDATA:-/var/lib/postgresql/data}/cluster
bin=$(echo /usr/lib/postgresql/*/bin)
if [ ! -s "$data/PG_VERSION" ]; then
  printf %s "$POSTGRES_PASSWORD" >/tmp/password
  "$bin/initdb" --pgdata="$data" --username="$POSTGRES_USER" --pwfile=/tmp/password --auth=scram-sha-256 --encoding=UTF8 --no-sync
  echo "CREATE DATABASE $POSTGRES_DB;" | "$bin/postgres" --single -D "$data" postgres
fi
exec "$bin/postgres" -D "$data" -c listen_addresses=127.0.0.1
