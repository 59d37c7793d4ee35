#!/bin/sh
# Builds the image of a lab host: Debian with systemd, sshd, sudo, Python and Java, as a cloud's image has them.
# Usage: build_image.sh NAME:TAG RELEASE   Needs root, mmdebstrap and podman. Says nothing when the image is there.
set -eu
umask 022
image=$1
release=$2
case $release in
bookworm) java=openjdk-17-jre-headless ;;
trixie) java=openjdk-21-jre-headless ;;
*)
    echo "kafka_lab_releases: $release is not known; give bookworm or trixie" >&2
    exit 2
    ;;
esac
exec 9>/run/kraftwright-lab-image.lock # a directory of root's; two labs at once: the second finds what the first has built
flock 9
if podman image exists "$image"; then exit 0; fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

packages=systemd,systemd-sysv,dbus,python3-minimal,libpython3-stdlib,python3-apt,openssh-server,sudo,ca-certificates
packages=$packages,iproute2,procps,netbase,nftables,$java,kcat

# An account that a person would use: no root, no password, sudo. The lab brings the keys: they belong to whoever made
# the lab, which is nobody in here, hence no StrictModes. Root makes files for itself alone, as on a hardened machine.
cat >"$scratch/customize" <<'HOOK'
#!/bin/sh
set -eu
chroot "$1" useradd --create-home --shell /bin/bash ops
printf 'ops ALL=(ALL) NOPASSWD: ALL\nDefaults umask=0077, umask_override\n' >"$1/etc/sudoers.d/ops"
chmod 0440 "$1/etc/sudoers.d/ops"
install -d -o 1000 -g 1000 -m 0700 "$1/home/ops/.ssh"
printf 'PasswordAuthentication no\nUseDNS no\nStrictModes no\nHostKey /etc/ssh/ssh_host_ed25519_key\n' >"$1/etc/ssh/sshd_config.d/lab.conf"
rm -f "$1"/etc/ssh/ssh_host_*
for unit in systemd-logind.service systemd-udevd.service systemd-networkd.service systemd-resolved.service \
    systemd-remount-fs.service dev-hugepages.mount tmp.mount run-lock.mount sys-fs-fuse-connections.mount getty.target apt-daily.timer \
    apt-daily-upgrade.timer e2scrub_all.timer fstrim.timer dpkg-db-backup.timer systemd-tmpfiles-clean.timer; do
    ln -sf /dev/null "$1/etc/systemd/system/$unit"
done
: >"$1/etc/machine-id"
HOOK
chmod +x "$scratch/customize"

mmdebstrap --quiet --variant=minbase --include="$packages" --customize-hook="$scratch/customize \"\$1\"" \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    "$release" "$scratch/root.tar"
podman import --quiet --change 'CMD ["/sbin/init"]' --change 'STOPSIGNAL SIGRTMIN+3' "$scratch/root.tar" "$image"
