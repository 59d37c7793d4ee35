"""The text that node_exporter reads."""

from __future__ import annotations

from ansible.module_utils.kraft.monitoring.exposition import Sample, text

ABOUT = {"kafka_b": ["gauge", "B."], "kafka_a": ["gauge", "A."]}


def test_samples_of_a_name_stand_together_below_what_they_mean() -> None:
    samples = [Sample("kafka_a", 1, {"x": "1"}), Sample("kafka_b", 2.5), Sample("kafka_a", 3, {"x": "2"})]
    assert text(samples, ABOUT) == (
        "# HELP kafka_b B.\n# TYPE kafka_b gauge\nkafka_b 2.5\n"
        '# HELP kafka_a A.\n# TYPE kafka_a gauge\nkafka_a{x="1"} 1\nkafka_a{x="2"} 3\n'
    )


def test_what_is_not_described_is_not_published() -> None:
    assert text([Sample("kafka_c", 1)], ABOUT) == ""


def test_a_name_of_a_group_may_have_any_letter() -> None:
    assert 'kafka_a{group="a\\"b\\\\c\\nd"} 0\n' in text([Sample("kafka_a", 0, {"group": 'a"b\\c\nd'})], ABOUT)
