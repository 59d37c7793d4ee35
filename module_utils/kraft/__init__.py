"""The core: decisions on values; and for hosts and clusters, inspections and changes."""

from ansible.module_utils.kraft import bytecode

bytecode.install(list(__path__))
