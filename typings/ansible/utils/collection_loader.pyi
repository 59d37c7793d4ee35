from typing import Any

class AnsibleCollectionConfig:
    collection_finder: Any
