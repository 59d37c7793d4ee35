#!/bin/sh
# Asks the nodes that this user runs from this release to shut down in good order.
set -eu
home=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." && pwd)
found=$(pgrep -u "$(id -u)" -f "$home/libs/.*kafka\.Kafka " || true)
if [ -z "$found" ]; then
    echo "no node of $home is running" >&2
    exit 1
fi
for pid in $found; do
    kill -TERM "$pid"
done
