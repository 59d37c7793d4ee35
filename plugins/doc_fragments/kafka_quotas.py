"""Documentation of what modules take as quotas."""

from __future__ import annotations


class ModuleDocFragment:
    """C(kafka_quotas): how much of the cluster a client may use."""

    DOCUMENTATION = r"""
options:
  quotas:
    description: Each entry names a user, a client or both, or an address, and what it may use.
    type: list
    elements: dict
    suboptions:
      user:
        description: A user; C(*) is Kafka's default, for users without a separate quota.
        type: str
      client_id:
        description: A client id, in the same way.
        type: str
      ip:
        description: An address from which clients connect, in the same way.
        type: str
      state:
        description: V(absent) takes every quota of this entity away.
        type: str
        choices: [present, absent]
        default: present
      producer_byte_rate:
        description: Bytes a second to each broker.
        type: float
      consumer_byte_rate:
        description: Bytes a second from each broker.
        type: float
      request_percentage:
        description: Share of the time of a broker's threads, in percent of one thread.
        type: float
      controller_mutation_rate:
        description: Partitions a second that are made or deleted.
        type: float
      connection_creation_rate:
        description: Connections a second to each broker, for an address.
        type: float
"""
