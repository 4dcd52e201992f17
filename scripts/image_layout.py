#!/usr/bin/env python3
"""Writes the OCI layout of the images: image_layout.py FOLDER NAME VERSION REVISION ARCHITECTURE...

Takes the files FOLDER/root-ARCHITECTURE, writes FOLDER/oci and FOLDER/digests. The bytes depend on those files, the arguments and
SOURCE_DATE_EPOCH alone: names in order, no owner, no time of a file.
"""

import gzip
import hashlib
import io
import json
import os
import pathlib
import sys
import tarfile
import time

# tag suffix, user. The second is for manifests that name no user and rely on root, as kured's and kubeadm's do.
TAGS = [("", "65532:65532"), ("-root", "0:0")]
INDEX = "application/vnd.oci.image.index.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"


def layer_of(root):
    """a tar archive of the folder"""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for path in sorted(root.rglob("*"), key=lambda path: path.relative_to(root).parts):
            entry = archive.gettarinfo(path, str(path.relative_to(root)))
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = ""
            entry.mtime = 0
            if entry.islnk():  # a second name of a file that was added
                entry.type, entry.size = tarfile.REGTYPE, path.stat().st_size
            if path.is_dir() and not path.is_symlink():
                entry.mode = 0o1777 if path.name == "tmp" else 0o755
            elif entry.isreg():
                entry.mode = 0o755 if os.access(path, os.X_OK) and path.stat().st_mode & 0o111 else 0o644
            with open(path, "rb") if entry.isreg() else io.BytesIO() as content:
                archive.addfile(entry, content if entry.isreg() else None)
    return packed.getvalue()


class Layout:
    def __init__(self, folder):
        self.blobs = folder / "blobs" / "sha256"
        self.blobs.mkdir(parents=True)
        (folder / "oci-layout").write_text('{"imageLayoutVersion":"1.0.0"}')
        self.folder = folder

    def add(self, content, media, **more):
        """stores a blob (bytes, or an object as JSON); its descriptor"""
        if not isinstance(content, bytes):
            content = json.dumps(content, separators=(",", ":"), sort_keys=True).encode()
        digest = hashlib.sha256(content).hexdigest()
        (self.blobs / digest).write_bytes(content)
        return {"mediaType": media, "digest": f"sha256:{digest}", "size": len(content), **more}


def labels_of(version, revision):
    prefix = "org.opencontainers.image."
    return {prefix + key: value for key, value in {
        "title": "berth", "description": "kube-scheduler, Descheduler, kured and the EvictionRequest API in one program",
        "version": version, "revision": revision, "licenses": "Apache-2.0", "created": created()}.items()}


def created():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"])))


def add_image(layout, arch, layer, diff, user, labels):
    """the manifest of one architecture"""
    config = {"architecture": arch, "os": "linux", "created": created(),
              "config": {"User": user, "Env": ["PATH=/usr/local/bin:/usr/bin"], "Entrypoint": ["/usr/bin/berth"], "Cmd": ["help"],
                         "WorkingDir": "/", "Labels": labels},
              "rootfs": {"type": "layers", "diff_ids": [diff]},
              "history": [{"created": created(), "created_by": "make image"}]}
    return layout.add({"schemaVersion": 2, "mediaType": MANIFEST, "config": layout.add(config, CONFIG), "layers": [layer],
                       "annotations": labels}, MANIFEST, platform={"architecture": arch, "os": "linux"})


def main():
    folder, name, version, revision = pathlib.Path(sys.argv[1]), *sys.argv[2:5]
    layout, labels = Layout(folder / "oci"), labels_of(version, revision)
    layers = {}
    for arch in sys.argv[5:]:
        plain = layer_of(folder / f"root-{arch}")
        packed = layout.add(gzip.compress(plain, 9, mtime=0), LAYER)
        layers[arch] = packed, "sha256:" + hashlib.sha256(plain).hexdigest()
        print(f"{arch}: {packed['size'] / 2**20:.2f} MiB packed, {len(plain) / 2**20:.2f} MiB unpacked")
    tags, lines = [], []
    for suffix, user in TAGS:
        manifests = [add_image(layout, arch, *layers[arch], user, labels) for arch in layers]
        tag = version + suffix
        notes = {"org.opencontainers.image.ref.name": tag}
        if name:
            notes["io.containerd.image.name"] = f"{name}:{tag}"
        index = layout.add({"schemaVersion": 2, "mediaType": INDEX, "manifests": manifests, "annotations": labels}, INDEX, annotations=notes)
        tags.append(index)
        called = f"{name}:{tag}" if name else tag
        lines.append(f"{index['digest']} {called}")
        lines += [f"{manifest['digest']} {called} linux/{manifest['platform']['architecture']}" for manifest in manifests]
    (folder / "oci" / "index.json").write_text(json.dumps({"schemaVersion": 2, "mediaType": INDEX, "manifests": tags}, indent=1) + "\n")
    (folder / "digests").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
