import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A producer with kafka-clients. Retries are the library's, until delivery.timeout.ms (120 s). Run it with `java -cp 'libs/*'`. */
public class JavaProducer {
    public static void main(String[] arguments) throws Exception {
        Map<String, String> given = new HashMap<>();
        for (int i = 0; i + 1 < arguments.length; i += 2) {
            given.put(arguments[i], arguments[i + 1]);
        }
        String acks = given.get("--acks");
        Properties settings = new Properties();
        settings.put("bootstrap.servers", given.get("--bootstrap"));
        settings.put("acks", acks);
        settings.put("enable.idempotence", String.valueOf(acks.equals("all"))); // the library refuses it with other acks
        settings.put("key.serializer", ByteArraySerializer.class.getName());
        settings.put("value.serializer", ByteArraySerializer.class.getName());
        double rate = Double.parseDouble(given.get("--rate"));
        Path end = Path.of(given.get("--end"));
        Duration flush = Duration.ofMillis((long) (1000 * Double.parseDouble(given.get("--flush-seconds"))));
        try (PrintWriter log = new PrintWriter(Files.newBufferedWriter(Path.of(given.get("--log"))), true)) {
            KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(settings);
            send(producer, given.get("--topic"), end, rate, log);
            producer.close(flush);
        }
    }

    private static void send(
            KafkaProducer<byte[], byte[]> producer, String topic, Path end, double rate, PrintWriter log)
            throws InterruptedException {
        long begin = System.nanoTime();
        for (long number = 0; !Files.exists(end); number++) {
            long due = begin + (long) (number / rate * 1e9) - System.nanoTime();
            if (due > 0) {
                Thread.sleep(due / 1_000_000, (int) (due % 1_000_000));
            }
            long sent = number;
            synchronized (log) {
                log.println("sent " + sent);
            }
            byte[] value = (number + ".".repeat(200 - Long.toString(number).length())).getBytes(StandardCharsets.UTF_8);
            producer.send(new ProducerRecord<>(topic, 0, null, value), (metadata, error) -> {
                synchronized (log) {
                    log.println(error == null ? "acked " + sent : "failed " + sent + " " + error);
                }
            });
        }
    }
}
