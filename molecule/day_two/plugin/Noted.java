package org.example;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.MetricsReporter;
import org.apache.kafka.common.utils.AppInfoParser;

/** A plugin of kafka_plugins: it prints which release has loaded it, and does nothing else. */
public class Noted implements MetricsReporter {
    @Override
    public void configure(Map<String, ?> settings) {
        System.out.println("plugin loaded by Kafka " + AppInfoParser.getVersion());
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
