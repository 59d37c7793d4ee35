#!/bin/sh
# The least that a deployment can be, for one host: floor.sh ADDRESS KEY KNOWN_HOSTS ARCHIVE PROPERTIES CLUSTER_ID CONTROLLERS
# The archive over ssh, unpacked on the way; format; start. No checksum, no user, no unit, no check, no way back.
set -eu
address=$1 key=$2 known=$3 archive=$4 properties=$5 cluster=$6 controllers=$7
on() {
    ssh -q -i "$key" -o UserKnownHostsFile="$known" -o GlobalKnownHostsFile=/dev/null -o IdentitiesOnly=yes "ops@$address" "$@"
}
on 'sudo mkdir -p /opt/floor && sudo tar xzf - --strip-components=1 -C /opt/floor' < "$archive"
on 'sudo tee /opt/floor/config/node.properties > /dev/null' < "$properties"
on "sudo /opt/floor/bin/kafka-storage.sh format --cluster-id $cluster --config /opt/floor/config/node.properties \
    --initial-controllers $controllers > /dev/null"
on 'sudo systemd-run --quiet --unit=floor --setenv=KAFKA_HEAP_OPTS="-Xms512m -Xmx512m" --setenv=LOG_DIR=/opt/floor/logs \
    /opt/floor/bin/kafka-server-start.sh /opt/floor/config/node.properties'
