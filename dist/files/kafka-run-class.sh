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
# The variables hold several options each, and are split on purpose.
# shellcheck disable=SC2086
exec "${JAVA_HOME:+$JAVA_HOME/bin/}java" $KAFKA_HEAP_OPTS $KAFKA_JVM_PERFORMANCE_OPTS -Djava.awt.headless=true \
    -Dkafka.logs.dir="$LOG_DIR" $KAFKA_LOG4J_OPTS ${KAFKA_OPTS:-} -cp "${CLASSPATH:+$CLASSPATH:}$home/libs/*" "$@"
