"""Whether a path is on a drive of this machine or of another one."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path

import psutil

_log = logging.getLogger(__name__)

_KINDS = frozenset(
    (
        "nfs nfs3 nfs4 cifs smb smb2 smb3 smbfs afpfs webdav davfs ncpfs afs ceph glusterfs lustre beegfs 9p "
        "fuse.sshfs fuse.rclone fuse.davfs fuse.davfs2 fuse.glusterfs fuse.cephfs fuse.gvfsd-fuse fuse.s3fs "
        "fuse.smbnetfs fuse.curlftpfs"
    ).split()
)


def is_network(path: Path) -> bool:
    """Whether a path is on a drive of another machine, told by how it is mounted. False when that cannot be found
    out."""
    text = str(path.absolute())
    if sys.platform == "win32":
        import ctypes

        drive = Path(text).drive
        return drive.startswith("\\\\") or ctypes.windll.kernel32.GetDriveTypeW(drive + "\\") == 4
    try:
        real = os.path.realpath(text)
        mounts = [each for each in psutil.disk_partitions(all=True) if _is_below(real, each.mountpoint)]
    except (OSError, psutil.Error) as error:
        _log.info("Mounts cannot be listed: %s", error)
        return False
    if not mounts:
        return False
    longest = max(len(each.mountpoint) for each in mounts)
    # Of several mounts at one place the last one is seen.
    return [each for each in mounts if len(each.mountpoint) == longest][-1].fstype.lower() in _KINDS


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
