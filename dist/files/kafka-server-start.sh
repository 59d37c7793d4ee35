#!/bin/sh
# Starts a node in the foreground: kafka-server-start.sh FILE [--override key=value]...
set -eu
if [ $# -eq 0 ]; then
    echo "usage: $0 server.properties [--override key=value]..." >&2
    exit 1
fi
exec "$(dirname "$(readlink -f "$0")")/kafka-run-class.sh" kafka.Kafka "$@"
