"""Documentation of what modules take as ACLs."""

from __future__ import annotations


class ModuleDocFragment:
    """C(kafka_acls): who may do what."""

    DOCUMENTATION = r"""
options:
  acls:
    description: Each entry names a principal, one resource and operations on it.
    type: list
    elements: dict
    suboptions:
      principal:
        description: User, as C(User:name); C(User:*) is everyone.
        type: str
        required: true
      state:
        description: V(present) adds these ACLs, V(absent) removes them.
        type: str
        choices: [present, absent]
        default: present
      topic:
        description: A topic, or the beginning of its name; C(*) is every one.
        type: str
      group:
        description: A consumer group, in the same way.
        type: str
      transactional_id:
        description: A transactional id, in the same way.
        type: str
      delegation_token:
        description: A delegation token, in the same way.
        type: str
      user:
        description: A user whose tokens are meant, in the same way.
        type: str
      cluster:
        description: The cluster itself.
        type: bool
        default: false
      pattern:
        description: Match of the name, as it is or as a prefix.
        type: str
        choices: [literal, prefixed]
        default: literal
      operations:
        description: Operations of the resource, in Kafka's words; V(all) is each of them.
        type: list
        elements: str
        default: []
      permission:
        description: V(deny) wins over every V(allow).
        type: str
        choices: [allow, deny]
        default: allow
      host:
        description: The address from which the principal comes; C(*) is any.
        type: str
        default: "*"
"""
