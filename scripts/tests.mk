# The parts of the tests: `make part-unit` runs one. scripts/part takes its command, and writes its log.
PYTEST := pytest -q -p no:cacheprovider --durations 10 --durations-min 1
# A part for each core, with 5 GiB of memory: six nodes of a scenario, or Spark beside three brokers. With more parts,
# nodes miss their timeouts, and no test ends sooner.
JOBS := $(shell awk -v cores="$$(nproc)" '/^MemTotal/ {fit = int($$2 / 5 / 2^20); print (fit < 1 ? 1 : fit < cores ? fit : cores)}' /proc/meminfo)

# The longest first: one that starts last would run alone.
CHECK := $(addprefix part-,ansible-lint unit contract mypy yamllint ruff shellcheck)
TEST := $(addprefix part-,molecule-cluster-short spark)
IDLE := $(addprefix part-,unit-spark) $(CHECK)
TEST_LONG := $(addprefix part-,molecule-ec2 molecule-day_two-short molecule-refusals-short later molecule-interrupted-short)
TEST_ALL := $(addprefix part-,molecule-day_two-all molecule-interrupted-all molecule-refusals molecule-cluster-all molecule-dedicated-all \
	molecule-moved molecule-watched-all molecule-ec2 old-sources later long integration-long mutants)

part-ansible-lint: export RUN = ansible-lint
part-unit: export RUN = $(PYTEST) tests/unit --ignore tests/unit/spark
part-contract: export RUN = $(PYTEST) tests/contract
part-mypy: export RUN = mypy .
part-yamllint: export RUN = yamllint --strict .
part-ruff: export RUN = ruff check && ruff format --check
part-shellcheck: export RUN = git ls-files -z scripts .ci dist roles | xargs -0 grep -lZ '^\#!/bin/.*sh' | xargs -0 shellcheck
part-integration: export RUN = $(PYTEST) -n 2 --dist loadfile -m '$(NOW)' tests/integration --ignore-glob '*/test_spark_*'
part-spark: export RUN = $(PYTEST) -m '$(NOW)' tests/integration/test_spark_*.py
# Two clusters, as in `test`: MirrorMaker's own topics of one file would be read by another one.
part-later: export RUN = code=0; $(PYTEST) -m later tests/integration --ignore-glob '*/test_spark_*' || code=1; \
	$(PYTEST) -m later tests/integration/test_spark_*.py || code=1; exit $$code
NOW := not later and not long
part-unit-spark: export RUN = $(PYTEST) tests/unit/spark
# A switch away from a cluster on ZooKeeper, and a copy of the oldest one; `test` has the other copy.
part-old-sources: export RUN = KRAFT_SOURCE=3.9.2 $(ZOOKEEPER) -k switch && KRAFT_SOURCE=2.8.2 $(ZOOKEEPER) -k 'not switch'
ZOOKEEPER := pytest -q -p no:cacheprovider tests/integration/test_spark_zookeeper_source.py
part-long: export RUN = $(PYTEST) tests/long
part-integration-long: export RUN = $(PYTEST) -m long tests/integration
part-mutants: export RUN = python scripts/mutants.py
# part-molecule-SCENARIO, or part-molecule-SCENARIO-SWEEP. Its hosts are removed after Ctrl-C, too, unless KEEP is set.
WORD = $(word $1,$(subst -, ,$*))
part-molecule-%: export RUN = $(if $(call WORD,3),export KRAFT_SWEEP=$(call WORD,3); )trap '[ "$$whole" ] || [ "$${KEEP:-}" ] || \
	molecule destroy -s $(call WORD,2)' EXIT; molecule test -s $(call WORD,2) $${KEEP:+--destroy never} && whole=1
part-%:
	@scripts/part $*

# $(call parts,FIRST,OTHERS,IDLE): FIRST fills two cores by itself; the others run side by side. IDLE has no brokers to
# wait for: it begins with FIRST, one part after the other, with less priority. It is a group of processes, so that it
# ends with the others after Ctrl-C. All run, whatever fails.
define parts
@rm -rf .cache/parts; code=0; $(if $3,set -m; nice -n 5 $(MAKE) --no-print-directory -k -O $3 & idle=$$!; set +m; trap 'kill -- -$$idle 2>/dev/null || true' EXIT;) \
$(if $1,$(MAKE) --no-print-directory $1 || code=1;) \
$(MAKE) --no-print-directory -k -O -j$(JOBS) $2 || code=1; \
$(if $3,wait $$idle || code=1; trap - EXIT;) \
echo 'the slowest tests:'; (grep -hE '^[0-9]+\.[0-9]+s (call|setup|teardown) ' .cache/parts/*.log || true) | sort -rn | cut -c-120 | sed -n 1,10p; \
exit $$code
endef
