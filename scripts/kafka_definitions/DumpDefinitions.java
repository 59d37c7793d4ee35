import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.ConfigKey;
import org.apache.kafka.server.common.Feature;
import org.apache.kafka.server.common.MetadataVersion;
import org.apache.kafka.server.config.AbstractKafkaConfig;
import org.apache.kafka.server.config.ServerTopicConfigSynonyms;
import org.apache.kafka.storage.internals.log.LogConfig;

/**
 * Prints the definitions of all of Kafka's server and topic settings as JSON: what Kafka itself would check, as data; and
 * the levels of features that a release stands for.
 *
 * <p>java -cp 'libs/*' DumpDefinitions.java [mirror]: with this word, the settings of MirrorMaker instead.
 */
public class DumpDefinitions {
    /** The classes that define a part of the server's settings; a key's section is the first that has it. Some moved with 4.3. */
    private static final List<String> SECTIONS = List.of(
        "org.apache.kafka.raft.QuorumConfig",
        "org.apache.kafka.raft.KRaftConfigs",
        "org.apache.kafka.server.config.KRaftConfigs",
        "org.apache.kafka.raft.MetadataLogConfig",
        "org.apache.kafka.server.config.ServerConfigs",
        "org.apache.kafka.server.config.ReplicationConfigs",
        "org.apache.kafka.server.config.QuotaConfig",
        "org.apache.kafka.server.config.DelegationTokenManagerConfigs",
        "org.apache.kafka.server.metrics.MetricConfigs",
        "org.apache.kafka.network.SocketServerConfigs",
        "org.apache.kafka.common.config.internals.BrokerSecurityConfigs",
        "org.apache.kafka.coordinator.group.GroupCoordinatorConfig",
        "org.apache.kafka.coordinator.group.modern.share.ShareGroupConfig",
        "org.apache.kafka.coordinator.share.ShareCoordinatorConfig",
        "org.apache.kafka.coordinator.transaction.TransactionLogConfig",
        "org.apache.kafka.coordinator.transaction.TransactionStateManagerConfig",
        "org.apache.kafka.coordinator.transaction.AddPartitionsToTxnConfig",
        "org.apache.kafka.server.log.remote.storage.RemoteLogManagerConfig",
        "org.apache.kafka.storage.internals.log.CleanerConfig",
        "org.apache.kafka.storage.internals.log.LogConfig");

    public static void main(String[] arguments) throws Exception {
        if (List.of(arguments).contains("mirror")) {
            System.out.println("{\"version\": \"" + version() + "\",");
            print("mirror", mirror());
            System.out.println("}");
            return;
        }
        Map<?, ?> modes = updateModes();
        Map<String, Object> server = new TreeMap<>();
        for (ConfigKey key : AbstractKafkaConfig.CONFIG_DEF.configKeys().values()) {
            Map<String, Object> entry = describe(key);
            entry.put("section", section(key.name));
            Object mode = modes.get(key.name);
            entry.put("update", mode == null ? "read-only" : mode);
            server.put(key.name, entry);
        }
        Map<String, Object> topic = new TreeMap<>();
        for (ConfigKey key : LogConfig.configKeys().values()) {
            Map<String, Object> entry = describe(key);
            entry.put("server", ServerTopicConfigSynonyms.TOPIC_CONFIG_SYNONYMS.get(key.name));
            entry.values().removeIf(value -> value == null);
            topic.put(key.name, entry);
        }
        System.out.println("{\"version\": \"" + version() + "\",");
        print("server", server);
        System.out.println(",");
        print("topic", topic);
        System.out.println(",");
        print("releases", releases());
        System.out.println("}");
    }

    /** Settings of MirrorMaker's file, by the prefix of their clients: those of its connectors and workers have none. */
    private static Map<String, Object> mirror() throws Exception {
        Map<String, ConfigDef> parts = new LinkedHashMap<>();
        for (String kind : List.of("MirrorSource", "MirrorCheckpoint", "MirrorHeartbeat")) {
            Class<?> type = Class.forName("org.apache.kafka.connect.mirror." + kind + "Connector");
            parts.put(kind, (ConfigDef) type.getMethod("config").invoke(type.getDeclaredConstructor().newInstance()));
        }
        parts.put("MirrorMaker", called("org.apache.kafka.connect.mirror.MirrorMakerConfig", "config"));
        parts.put("Worker", called("org.apache.kafka.connect.runtime.distributed.DistributedConfig", "config"));
        for (String client : List.of("Consumer", "Producer", "AdminClient")) {
            String type = client.equals("AdminClient") ? "admin" : client.toLowerCase();
            parts.put(type + ".", called("org.apache.kafka.clients." + type + "." + client + "Config", "configDef"));
        }
        Map<String, Object> found = new TreeMap<>();
        for (Map.Entry<String, ConfigDef> part : parts.entrySet()) {
            String prefix = part.getKey().endsWith(".") ? part.getKey() : "";
            for (ConfigKey key : part.getValue().configKeys().values()) {
                Map<String, Object> entry = describe(key);
                entry.remove("importance");
                found.putIfAbsent(prefix + key.name, entry);
            }
        }
        return found;
    }

    private static ConfigDef called(String type, String name) throws Exception {
        for (Method method : Class.forName(type).getDeclaredMethods()) {
            if (method.getName().equals(name) && method.getReturnType() == ConfigDef.class) {
                method.setAccessible(true);
                Object[] arguments = new Object[method.getParameterCount()];
                for (int index = 0; index < arguments.length; index++) {
                    Class<?> wanted = method.getParameterTypes()[index];
                    arguments[index] = wanted.isEnum() ? wanted.getEnumConstants()[0] : wanted.getField("SYSTEM").get(null);
                }
                return (ConfigDef) method.invoke(null, arguments);
            }
        }
        throw new NoSuchMethodException(type + "." + name);
    }

    /** As the jar of clients says; the class that reads it moved with 4.4. */
    private static String version() throws Exception {
        Properties written = new Properties();
        try (InputStream file = ConfigDef.class.getResourceAsStream("/kafka/kafka-version.properties")) {
            written.load(file);
        }
        return written.getProperty("version");
    }

    /** Release to the level of each feature that {@code kafka-storage version-mapping --release-version} gives for it. */
    private static Map<String, Object> releases() {
        Map<String, Object> found = new LinkedHashMap<>();
        for (MetadataVersion metadata : MetadataVersion.VERSIONS) {
            if (metadata.isProduction()) {
                Map<String, Object> levels = new LinkedHashMap<>();
                levels.put(MetadataVersion.FEATURE_NAME, metadata.featureLevel());
                Feature.PRODUCTION_FEATURES.forEach(each -> levels.put(each.featureName(), each.defaultLevel(metadata)));
                found.put(metadata.shortVersion(), levels);
            }
        }
        return found;
    }

    /** One key a line, so that two versions can be compared by eye. */
    private static void print(String name, Map<String, Object> entries) throws Exception {
        ObjectMapper mapper = new ObjectMapper();
        List<String> lines = new ArrayList<>();
        for (Map.Entry<String, Object> entry : entries.entrySet()) {
            lines.add(mapper.writeValueAsString(entry.getKey()) + ": " + mapper.writeValueAsString(entry.getValue()));
        }
        System.out.print("\"" + name + "\": {\n" + String.join(",\n", lines) + "\n}");
    }

    private static Map<String, Object> describe(ConfigKey key) throws Exception {
        Map<String, Object> entry = new LinkedHashMap<>();
        entry.put("type", key.type.name().toLowerCase());
        if (key.hasDefault()) {
            entry.put("default", text(key.defaultValue, key.type));
        }
        entry.put("importance", key.importance.name().toLowerCase());
        if (key.internalConfig) {
            entry.put("internal", true);
        }
        if (key.validator != null) {
            describe(key.validator, entry);
        }
        return entry;
    }

    private static String text(Object value, ConfigDef.Type type) {
        return value == null ? null : ConfigDef.convertToString(value, type);
    }

    /** What a validator allows: bounds and choices where it has them, its own words always. */
    private static void describe(ConfigDef.Validator validator, Map<String, Object> entry) throws Exception {
        switch (validator.getClass().getSimpleName()) {
            case "Range" -> {
                putIfThere(entry, "min", field(validator, "min"));
                putIfThere(entry, "max", field(validator, "max"));
            }
            case "ValidString" -> entry.put("choices", field(validator, "validStrings"));
            case "CaseInsensitiveValidString" -> {
                entry.put("choices", ((Set<?>) field(validator, "validStrings")).stream().sorted().toList());
                entry.put("any_case", true);
            }
            case "ValidList" -> {
                List<?> choices = (List<?>) field(field(validator, "validString"), "validStrings");
                if (!choices.isEmpty()) {
                    entry.put("choices", choices);
                }
                entry.put("empty_allowed", field(validator, "isEmptyAllowed"));
                entry.put("unique", true);
            }
            case "CompositeValidator" -> {
                for (Object each : (List<?>) field(validator, "validators")) {
                    describe((ConfigDef.Validator) each, entry);
                }
            }
            default -> entry.merge("allowed", words(validator), (before, more) -> before + ", " + more);
        }
    }

    private static String words(ConfigDef.Validator validator) {
        String text = String.valueOf(validator);
        return text.contains("@") ? validator.getClass().getSimpleName() : text;
    }

    private static void putIfThere(Map<String, Object> entry, String name, Object value) {
        if (value != null) {
            entry.put(name, value);
        }
    }

    private static Object field(Object owner, String name) throws Exception {
        Field field = owner.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(owner);
    }

    private static String section(String key) throws Exception {
        for (String name : SECTIONS) {
            try {
                if (definition(Class.forName(name)).names().contains(key)) {
                    return name.substring(name.lastIndexOf('.') + 1);
                }
            } catch (ClassNotFoundException elsewhere) {
                continue;
            }
        }
        return "KafkaConfig";
    }

    /** Which keys can be changed while a broker runs, and for whom. Before 4.3 a Scala object knew. */
    private static Map<?, ?> updateModes() throws Exception {
        try {
            Class<?> type = Class.forName("org.apache.kafka.server.config.DynamicBrokerConfig");
            return (Map<?, ?>) type.getMethod("dynamicConfigUpdateModes").invoke(null);
        } catch (ClassNotFoundException before) {
            Class<?> type = Class.forName("kafka.server.DynamicBrokerConfig$");
            return (Map<?, ?>) type.getMethod("dynamicConfigUpdateModes").invoke(type.getField("MODULE$").get(null));
        }
    }

    /** The part of the definitions that a class keeps, under whatever name. */
    private static ConfigDef definition(Class<?> type) throws Exception {
        for (String name : List.of("CONFIG_DEF", "SERVER_CONFIG_DEF")) {
            try {
                Field field = type.getDeclaredField(name);
                field.setAccessible(true);
                return (ConfigDef) field.get(null);
            } catch (NoSuchFieldException absent) {
                continue;
            }
        }
        return (ConfigDef) type.getDeclaredMethod("configDef").invoke(null);
    }
}
