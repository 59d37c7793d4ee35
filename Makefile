# The project's verbs. `make help` lists them; each works first, on its own, on a fresh machine.
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -ec
.DEFAULT_GOAL := help
PATH := $(CURDIR)/.venv/bin:$(PATH)
export PATH
PYTHON := .venv/bin/python
PLAYBOOK := .venv/bin/ansible-playbook
KAFKA_VERSION := 4.4.0
# The releases that upgrades begin with, in tests; the oldest one only in test-all.
OLDER_KAFKA_VERSION := 4.3.1
OLDEST_KAFKA_VERSION := 4.2.2
# The newest release that is served with MirrorMaker: kafka_mirror_version.
MIRROR_KAFKA_VERSION := 4.3.1
# Apache's own archive in place of the assembled one: make demo KAFKA_ARCHIVE=/path/kafka_2.13-4.4.0.tgz
# Its checksum is KAFKA_ARCHIVE_CHECKSUM (sha512:… or sha256:…), else that of the .sha512 beside it, else computed.
KAFKA_ARCHIVE :=
KAFKA_ARCHIVE_CHECKSUM :=

GIVEN = $(if $(KAFKA_ARCHIVE),-e "{\"kafka_archive\": \"$$(realpath -ms "$(KAFKA_ARCHIVE)")\"}" \
	-e kafka_archive_checksum=$(or $(KAFKA_ARCHIVE_CHECKSUM),$$($(PYTHON) -m dist checksum "$(KAFKA_ARCHIVE)")))
# An archive of Java, as its makers publish it, that goes into the bundle.
JAVA :=
# TLS on all listeners: make demo SECURITY=tls; clients that log in: tls_scram; with certificates: mtls
SECURITY :=
# Making lab hosts takes root: sudo asks for its password where it wants one.
ASK = $$([ "$$(id -u)" = 0 ] || sudo -n true 2>/dev/null || echo --ask-become-pass)

include scripts/tests.mk

.PHONY: help
help: ## list the verbs
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

.PHONY: setup
setup: ## install what is missing: system packages, Python packages into .venv
	@scripts/bootstrap

.PHONY: setup-test
setup-test:
	@scripts/bootstrap lab archive test

.PHONY: client
client: ## bring the modules' client, Spark's connector and the metrics' agent into .cache: what a run needs beside Kafka's archive
	@scripts/bootstrap archive
	@$(PYTHON) -m dist client
	@$(PYTHON) -m dist spark
	@$(PYTHON) -m spark_jobs.appcds
	@$(PYTHON) -m dist metrics

.PHONY: archive
archive: client ## the same, and Kafka's archive, assembled from locked artifacts
	@$(if $(KAFKA_ARCHIVE),$(PYTHON) -m dist checksum "$(KAFKA_ARCHIVE)",$(PYTHON) -m dist kafka $(KAFKA_VERSION))

.PHONY: collection
collection: client ## build kraftwright.kafka into .cache/collection: a tarball for `ansible-galaxy collection install`
	@$(PYTHON) -m dist collection

.PHONY: bundle
bundle: archive $(if $(MIRROR),archive-mirror) ## one archive for machines that reach no registry: this project, Python packages, Kafka, jars (JAVA=/path/jdk.tar.gz: Java, too; MIRROR=1: what copies run from, too)
	@$(PYTHON) -m dist bundle $(KAFKA_VERSION) $(if $(MIRROR),--also $(MIRROR_KAFKA_VERSION)) $(if $(JAVA),--java "$$(realpath -ms "$(JAVA)")")

.PHONY: archive-mirror
archive-mirror: setup ## the archive of Kafka that copies from another cluster run from
	@scripts/bootstrap archive
	@$(PYTHON) -m dist kafka $(MIRROR_KAFKA_VERSION)

.PHONY: archive-older
archive-older: archive
	@$(PYTHON) -m dist kafka $(OLDER_KAFKA_VERSION)

.PHONY: archive-oldest
archive-oldest: archive
	@$(PYTHON) -m dist kafka $(OLDEST_KAFKA_VERSION)

.PHONY: lab
lab: ## make the three hosts of the local lab
	@scripts/bootstrap lab
	@$(PLAYBOOK) playbooks/create_lab.yml $(ASK)

.PHONY: demo
demo: archive lab ## from nothing to a proven three-node cluster on this machine (SECURITY=tls, mtls, tls_scram: secured)
	@$(PLAYBOOK) -i inventories/local site.yml $(GIVEN) $(if $(SECURITY),-e kafka_security=$(SECURITY))

.PHONY: demo-watch
demo-watch: setup ## let Prometheus and Alertmanager watch the demo on loopback; a page shows what they see
	@scripts/bootstrap watch
	@$(PYTHON) -m scripts.demo_watch start $(GIVEN) $(if $(SECURITY),-e kafka_security=$(SECURITY))

.PHONY: demo-down
demo-down: setup ## remove the demo's hosts, disks and keys, and what watches it
	@$(PYTHON) -m scripts.demo_watch stop
	@$(PLAYBOOK) playbooks/destroy_lab.yml $(ASK)

.PHONY: cluster-id
cluster-id: ## draw an id for a new cluster
	@python3 -c 'import base64, uuid; print(next(i for i in iter(lambda: base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("="), "") if i[0] != "-"))'

.PHONY: check
check: setup-test ## lint, types, unit and contract tests: some minutes
	$(call parts,,$(CHECK))

.PHONY: test
test: archive archive-mirror setup-test ## every layer, the essential path of every promise
	$(call parts,part-integration,$(TEST),$(IDLE))

.PHONY: test-long
test-long: archive-older archive-mirror setup-test ## the longer molecule scenarios, and tests that make test leaves out
	$(call parts,,$(TEST_LONG))

.PHONY: test-all
test-all: archive-older archive-oldest archive-mirror setup-test ## the same, and what is left out there
	$(call parts,,$(TEST_ALL))

.PHONY: mutants
mutants: setup-test ## plant small faults into the safety core; fail when tests do not see them: ten minutes
	@$(PYTHON) scripts/mutants.py $(MODULES)

.PHONY: docs
docs: setup-test ## build the documentation site into .cache/docs/site; a broken link fails
	@$(PYTHON) -m scripts.site

.PHONY: lock
lock: setup ## lock the Python packages of pyproject.toml again
	@uv pip compile pyproject.toml --group dev --generate-hashes --python-version 3.11 --no-header --no-annotate -q \
		-o requirements/dev.lock
	@uv pip compile --group pyproject.toml:build --generate-hashes --python-version 3.11 --no-header --no-annotate -q \
		-o requirements/build.lock
	@for env in oldest:3.11 newest:3.12; do uv pip compile pyproject.toml --override requirements/compatibility/$${env%:*}.txt \
		--generate-hashes --python-version $${env#*:} --no-header --no-annotate -q -o requirements/compatibility/$${env%:*}.lock; done
	@for env in navigator ara; do uv pip compile pyproject.toml requirements/compatibility/$$env.txt \
		--generate-hashes --python-version 3.11 --no-header --no-annotate -q -o requirements/compatibility/$$env.lock; done
	@for env in airflow clients kaskade kubernetes notebook rulebook streaming; do uv pip compile requirements/samples/$$env.txt \
		--generate-hashes --python-version 3.11 --no-header --no-annotate -q -o requirements/samples/$$env.lock; done

.PHONY: clean
clean: ## remove caches (not the demo: `make demo-down`; not reports and authorities, which are in .kraftwright)
# What an unpacked bundle has in .cache was brought there, and comes back from nowhere.
	@rm -rf $(if $(wildcard .cache/wheels),,.cache) .mypy_cache .ruff_cache .pytest_cache .ansible
