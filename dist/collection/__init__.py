"""Build of the Ansible collection from the checkout: one step renames everything that has another name there."""
