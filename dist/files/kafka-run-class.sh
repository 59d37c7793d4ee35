#!/bin/sh
# Runs a class of this release: kafka-run-class.sh [--tool] CLASS [ARGUMENT...]
# KAFKA_HEAP_OPTS, KAFKA_JVM_PERFORMANCE_OPTS, KAFKA_LOG4J_OPTS, KAFKA_OPTS, CLASSPATH and JAVA_HOME are honoured.
set -eu
home=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." && pwd)
if [ "${1:-}" = --tool ]; then # short-lived: compile little, collect simply
    shift
    : "${KAFKA_HEAP_OPTS:=-Xmx256M}"
    : "${KAFKA_JVM_PERFORMANCE_OPTS:=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC}"
    : "${KAFKA_LOG4J_OPTS:=-Dlog4j2.configurationFile=$home/config/tools-log4j2.yaml}"
fi
: "${KAFKA_HEAP_OPTS:=-Xmx1G -Xms1G}"
: "${KAFKA_JVM_PERFORMANCE_OPTS:=-XX:+UseG1GC -XX:MaxGCPauseMillis=20 -XX:InitiatingHeapOccupancyPercent=35 -XX:+ExplicitGCInvokesConcurrent}"
: "${LOG_DIR:=$home/logs}"
: "${KAFKA_LOG4J_OPTS:=-Dlog4j2.configurationFile=$home/config/log4j2.yaml}"
# On a node the role has written the class path as class data demands it: the same string each time. What Java then says of
# class data that it does not take goes to stderr, away from a tool's output.
quiet=
if [ -z "${CLASSPATH:-}" ] && [ -r "$home/classpath.options" ]; then
    quiet='-Xlog:disable -Xlog:all=warning:stderr'
    set -- "@$home/classpath.options" "$@"
else
    set -- -cp "${CLASSPATH:+$CLASSPATH:}$home/libs/*" "$@"
fi
# The variables hold several options each, and are split on purpose.
# shellcheck disable=SC2086
exec "${JAVA_HOME:+$JAVA_HOME/bin/}java" $quiet $KAFKA_HEAP_OPTS $KAFKA_JVM_PERFORMANCE_OPTS -Djava.awt.headless=true \
    -Dkafka.logs.dir="$LOG_DIR" $KAFKA_LOG4J_OPTS ${KAFKA_OPTS:-} "$@"
