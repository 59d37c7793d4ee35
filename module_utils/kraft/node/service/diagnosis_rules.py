"""Messages of Kafka, the JVM and systemd about a node that cannot run, with cause and remedy.

Order matters: the first rule that matches decides, so causes precede their consequences. A pattern's named groups fill
the texts. Patterns of Kafka and the JVM are from Kafka 4.3.1 on Java 17, made to fail in that way
(tests/unit/node/service/failures). Those of systemd are from systemd 252.
"""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Rule:
    name: str
    pattern: str
    cause: str
    remedy: str
    passes: bool = False  #: waiting may help


RULES: tuple[Rule, ...] = (
    Rule(
        "limits",
        r"Failed to adjust resource limit (?P<limit>\S+?):|Failed at step LIMITS|status=205/LIMITS",
        "the host cannot give the unit the limit that it asks for",
        "lower kafka_nofile_limit to what the host's hard limit allows, or raise that limit",
    ),
    Rule(
        "java_missing",
        r"Main process exited, code=exited, status=203/EXEC"
        r"|Failed (?:to locate executable|at step EXEC spawning) \S*java\b",
        "the Java that the unit starts is not there or cannot be executed",
        "set kafka_java_home to a Java 17 or newer, or unset it and let kafka_host install the package",
    ),
    Rule(
        "executable_missing",
        r"Control process exited, code=exited, status=203/EXEC|Failed to locate executable",
        "a program that the unit runs before Kafka is not there or cannot be executed",
        "look at ExecStartPre with `systemctl cat kafka`",
    ),
    Rule(
        "user_missing",
        r"Failed to determine (?:user|group) credentials|status=21[67]/(?:USER|GROUP)",
        "the unit's user or group does not exist",
        "run the role kafka_host, or set kafka_user and kafka_group to ones that exist",
    ),
    Rule(
        "directory_missing",
        r"status=200/CHDIR",
        "the unit's working directory (kafka_install_dir) is not there or not open to the Kafka user",
        "run the playbook again: it makes what is missing",
    ),
    Rule(
        "sandbox",
        r"Failed to set up mount namespacing: (?P<path>\S+):|status=226/NAMESPACE",
        "systemd cannot build the unit's file system view",
        "make every directory that the unit's ReadWritePaths name, with the kernel features it needs",
    ),
    Rule(
        "oom_killed",
        r"killed by the OOM killer|Failed with result 'oom-kill'|Out of memory: Killed process",
        "the kernel killed Kafka because the host (or its container) ran out of memory",
        "lower kafka_heap_size, or give the host more memory: heap plus page cache must fit",
    ),
    Rule(
        "heap_too_big",
        r"insufficient memory for the Java Runtime|Could not reserve enough space for object heap"
        r"|os::commit_memory\(.*error='(?:Not enough space|Cannot allocate memory)'",
        "the heap is bigger than the memory that is free",
        "lower kafka_heap_size (at most half of the host's memory; the page cache needs the rest)",
    ),
    Rule(
        "heap_too_small",
        r"java\.lang\.OutOfMemoryError: (?:Java heap space|GC overhead limit exceeded|Direct buffer memory)",
        "the heap is too small for what the node holds",
        "raise kafka_heap_size",
    ),
    Rule(
        "too_many_maps",
        r"OutOfMemoryError: Map failed|mmap.*Cannot allocate memory",
        "the kernel gives no more memory maps: every log segment needs two",
        "raise vm.max_map_count (kafka_host_partition_budget)",
    ),
    Rule(
        "too_many_threads",
        r"unable to create native thread",
        "the host gives no more threads",
        "raise the unit's TasksMax or the host's pid limit",
    ),
    Rule(
        "java_too_old",
        r"UnsupportedClassVersionError|compiled by a more recent version of the Java Runtime",
        "this Java is older than Kafka needs",
        "Kafka 4 needs Java 17 or newer: set kafka_java_home or kafka_host_java_package",
    ),
    Rule(
        "jvm_option",
        r"(?P<text>Unrecognized (?:VM )?option:? '?\S+|Invalid (?:maximum|initial) heap size: \S+"
        r"|Error: could not open `[^']+'|Conflicting collector combinations.*|Initial heap size set to a larger.*)",
        "Java refuses an option: {text}",
        "correct kafka_heap_size or kafka_jvm_options",
    ),
    Rule(
        "release_incomplete",
        r"Could not find or load main class (?P<name>\S+)|NoClassDefFoundError: (?:org/apache/kafka|kafka/|scala/)",
        "classes of Kafka are missing: the installed release is not complete, or a plugin was built for another one",
        "give kafka_plugins for this release; without plugins run the playbook again: it unpacks the release again",
    ),
    Rule(
        "port_in_use",
        r"failed to bind to (?P<address>\S+): Address already in use",
        "{address} is in use by another process",
        "find it with `ss -ltnp`, stop it, or give the listener another port in kafka_listeners",
    ),
    Rule(
        "address_not_local",
        r"failed to bind to (?P<address>\S+): Cannot assign requested address",
        "{address} is not an address of this host",
        "correct kafka_address, or set bind: 0.0.0.0 for a listener that is reached under another address",
    ),
    Rule(
        "permission",
        r"AccessDeniedException: (?P<path>/\S+)|FileNotFoundException: (?P<file>/.+?) \(Permission denied\)"
        r"|'(?P<other>/[^']+)': Permission denied",
        "{path}{file}{other} is not open to the Kafka user: wrong owner or mode",
        "chown it to the Kafka user and group, parents searchable; a program run as root may have made it",
    ),
    Rule(
        "read_only",
        r"(?P<path>/\S+?):? \(?Read-only file system",
        "{path} is on a file system that is read-only (or outside the unit's ReadWritePaths)",
        "mount it writable, and list it in kafka_log_dirs so that the unit may write there",
    ),
    Rule(
        "disk_full",
        r"No space left on device|Disk quota exceeded",
        "a disk is full",
        "add space on the disk of the log dirs, then shorten retention; delete nothing in a log dir by hand",
    ),
    Rule(
        "too_many_files",
        r"Too many open files",
        "the process may open no more files",
        "raise kafka_nofile_limit",
    ),
    Rule(
        "directory_locked",
        r"Failed to acquire lock on file \.lock in (?P<path>\S+?)\.? ",
        "another Kafka process uses {path}",
        "find it with `ps -ef | grep kafka.Kafka`; two nodes never share a log dir",
    ),
    Rule(
        "node_id",
        r"Stored node id (?P<stored>-?\d+) doesn't match previous node id (?P<wanted>-?\d+) in (?P<path>\S+?)\.? ",
        "{path} belongs to node {stored}, and this node is configured as {wanted}",
        "put kafka_node_id back to {stored}, or give this node its own disk; nothing was deleted",
    ),
    Rule(
        "cluster_id",
        r"Invalid cluster\.id in: (?P<path>\S+?)\.? Expected (?P<wanted>\S+), but read (?P<stored>\S+)",
        "{path} belongs to cluster {stored}, and the other log dirs to {wanted}",
        "put back the disk of this cluster, or empty the foreign one yourself if it is not needed; nothing was deleted",
    ),
    Rule(
        "foreign_cluster",
        r"INCONSISTENT_CLUSTER_ID",
        "this node was formatted for another cluster than its controllers",
        "compare cluster.id in meta.properties with kafka_cluster_id; a disk of another cluster is in the wrong host",
    ),
    Rule(
        "half_formatted",
        r"node ID not found in (?P<path>\S+)",
        "{path} holds a meta.properties without content: a format was interrupted",
        "run the playbook again: it finishes a format that was interrupted",
    ),
    Rule(
        "not_formatted",
        r"No readable meta\.properties files found|No `meta\.properties` found in (?P<path>\S+)",
        "the log dirs are not formatted",
        "run the playbook (it formats what is empty); if there was data, a disk is not mounted",
    ),
    Rule(
        "log_dir_failed",
        r"Stopping serving logs in dir (?P<path>\S+)|log dir(?:ectory|s)? (?P<dir>\S+ )?(?:has|have) failed",
        "a log dir failed: {path}{dir}",
        "look at the disk (`dmesg`), repair or replace it, then start the node again",
    ),
    Rule(
        "bad_property",
        r"Invalid value (?P<value>.*?) for configuration (?P<key>\S+?)(?:: (?P<why>.*))?$",
        "{key} = {value} is refused: {why}",
        "correct {key} in kafka_config, kafka_group_config or kafka_host_config",
    ),
    Rule(
        "missing_property",
        r"Missing required configuration \"?(?P<key>[\w.]+)",
        "{key} is required and not set",
        "set {key} in kafka_config",
    ),
    Rule(
        "certificate_expired",
        r"SSLHandshakeException: \(certificate_expired\)|CertificateExpiredException: ",
        "a certificate that this node uses, or that another one shows it, has expired",
        "run deploy_cluster.yml, which issues others; if kafka_tls is empty, bring others and restart the nodes",
        passes=True,
    ),
    Rule(
        "bad_settings",
        r"(?:ConfigException|IllegalArgumentException): (?:requirement failed: )?(?P<why>.+)",
        "the properties contradict each other: {why}",
        "correct kafka_listeners or kafka_config",
    ),
    Rule(
        "class_missing",
        r"ClassNotFoundException: (?P<name>[\w.$]+)|Class (?P<other>[\w.$]+) could not be found",
        "a property names the class {name}{other}, which no jar of this release holds",
        "correct the property that names it",
    ),
    Rule(
        "file_missing",
        r"NoSuchFileException: (?P<path>/\S+)|cannot stat '(?P<file>/[^']+)': No such file",
        "{path}{file} does not exist",
        "run the playbook again: it writes what is missing",
    ),
    Rule(
        "name_unknown",
        r"UnknownHostException: (?P<host>[\w.-]+)|Couldn't resolve server (?P<server>\S+)",
        "the name {host}{server} cannot be resolved on this host",
        "use addresses in kafka_address, or make the name known to every host",
        passes=True,
    ),
    Rule(
        "start_pre",
        r"Control process exited, code=exited, status=(?P<status>\S+)",
        "a step before the start failed ({status})",
        "look at ExecStartPre with `systemctl cat kafka`: each file that it copies must exist",
    ),
    Rule(
        "killed",
        r"Main process exited, code=killed, status=9/KILL",
        "the process was killed (SIGKILL), by a person or program, or by the kernel because memory was full",
        "look at `dmesg` and at who else works on this host",
    ),
    Rule(
        "handshake",
        r"SSL handshake failed|SSLHandshakeException|Failed authentication with|SaslAuthenticationException",
        "the nodes do not trust or know one another: TLS or SASL fails between them",
        "compare certificates, trust stores and credentials of the listeners that they use among themselves",
        passes=True,
    ),
    Rule(
        "still_registered",
        r"DUPLICATE_BROKER_REGISTRATION",
        "the controller still counts a session of this broker's last process, or another process has its node id",
        "wait broker.session.timeout.ms (9 s) after a stop; if it goes on, look for a second node with this id",
        passes=True,
    ),
    Rule(
        "voters_unreachable",
        r"\[RaftManager.*Connection to node -?\d+ \([^/)]*/?(?P<address>[^)]+)\) could not be established",
        "a controller could not be reached at {address}",
        "start a majority of the controllers, and open their port between the hosts",
        passes=True,
    ),
)
