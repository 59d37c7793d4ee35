package org.example;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.MetricsReporter;

/** A plugin of kafka_plugins: it prints from which release Kafka's own classes are, and does nothing else. */
public class Noted implements MetricsReporter {
    @Override
    public void configure(Map<String, ?> settings) {
        System.out.println("plugin loaded beside " + MetricsReporter.class.getProtectionDomain().getCodeSource().getLocation());
    }

    @Override
    public void init(List<KafkaMetric> metrics) {}

    @Override
    public void metricChange(KafkaMetric metric) {}

    @Override
    public void metricRemoval(KafkaMetric metric) {}

    @Override
    public void close() {}
}
