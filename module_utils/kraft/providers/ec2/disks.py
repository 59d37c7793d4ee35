"""How a host finds its data disks: by the volume's id, which a Nitro machine shows as the disk's serial number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ansible.module_utils.kraft.providers.ec2.reading import volumes

#: udev's name of an EBS volume (docs.aws.amazon.com/ebs/latest/userguide/identify-nvme-ebs-device.html).
BY_ID = "/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_"


def data_disks(given: Sequence[Mapping[str, Any]], mappings: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    """``kafka_ec2_volumes`` as ``kafka_host_data_disks``; those that are not yet attached are left out.

    `mappings` are the instance's ``block_device_mappings`` as ``aws_ec2`` gives them.
    """
    attached = {each["device_name"]: each["ebs"]["volume_id"] for each in mappings if "ebs" in each}
    return [
        {"device": BY_ID + attached[each.device].replace("-", ""), "mount": each.mount}
        for each in volumes(given)
        if each.device in attached
    ]
