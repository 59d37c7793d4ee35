"""Names of a host's data disks: by the volume's id, which a Nitro machine shows as the disk's serial number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.providers.ec2.model import DISK
from ansible.module_utils.kraft.providers.ec2.reading import volumes

#: udev's name of an EBS volume (docs.aws.amazon.com/ebs/latest/userguide/identify-nvme-ebs-device.html).
BY_ID = "/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_"
#: A device that no host has: a disk that is wanted is never left out, so that nothing is put on the root disk instead.
MISSING = "/dev/disk/by-id/not-attached-run-provision_ec2.yml"


def data_disks(given: Sequence[Mapping[str, Any]], tags: Mapping[str, str]) -> list[dict[str, str]]:
    """``kafka_ec2_volumes`` as ``kafka_host_data_disks``. `tags`: the instance's, which name the volume of each mount.

    A volume that no tag names has a device that no host has: the checks of hosts refuse it.
    """
    if not isinstance(tags, Mapping):
        raise KraftError(
            "kafka_host_data_disks is written for an older release -> write"
            ' "{{ kafka_ec2_volumes | kraft_ec2_disks(ec2_tags | default({})) }}"'
        )
    return [
        {"device": _device(tags.get(DISK + each.mount, ""), at), "mount": each.mount}
        for at, each in enumerate(volumes(given))
    ]


def _device(volume_id: str, at: int) -> str:
    return BY_ID + volume_id.replace("-", "") if volume_id else f"{MISSING}-{at}"
