#!/usr/bin/env python3
"""Packs an installed tree as a wheel that holds no Python: `pip install` puts warprun beside
its own scripts, the rest where `make install` would, under the environment's prefix.

    wheel.py TREE VERSION OUT     writes OUT/warplab-VERSION-py3-none-PLATFORM.whl

PLATFORM is manylinux_2_N with the oldest C library 2.N that has every symbol the binaries
ask for; a library asked for beyond those that manylinux takes for granted is an error.
"""
import base64
import hashlib
import pathlib
import platform
import re
import subprocess
import sys
import zipfile

ALLOWED = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libgcc_s.so.1",
           "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
EPOCH = (1980, 1, 1, 0, 0, 0)  # the same tree, the same wheel

METADATA = """\
Metadata-Version: 2.1
Name: warplab
Version: {version}
Summary: Run CUDA programs without a GPU, check them for races, and count what they do
License: MIT
Requires-Python: >=3.8
Classifier: Development Status :: 5 - Production/Stable
Classifier: Environment :: GPU :: NVIDIA CUDA :: 13
Classifier: License :: OSI Approved :: MIT License
Classifier: Operating System :: POSIX :: Linux
Description-Content-Type: text/markdown

`warprun PROGRAM` runs a program built with `nvcc -cudart shared` (CUDA 13) on an emulator: no
GPU, no driver. `warprun --check` looks for races, bad addresses and divergent barriers,
`warprun --profile FILE` counts. There is a CMake package beside it (`find_package(Warplab)`
with `-DCMAKE_PREFIX_PATH=` the environment's folder).
"""


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def needed(binary):
    return set(re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-d", binary)))


def glibc(binary):
    """The second number of the youngest GLIBC_2.N that the binary asks for."""
    found = re.findall(r"\(GLIBC_2\.(\d+)", output("readelf", "--dyn-syms", "-W", binary))
    found += re.findall(r"@GLIBC_2\.(\d+)", output("readelf", "--dyn-syms", "-W", binary))
    return max(map(int, found))


def tag(binaries, bundled):
    for b in binaries + bundled:
        extra = needed(b) - ALLOWED - {p.name for p in binaries + bundled}
        if extra:
            sys.exit(f"wheel: {b} needs {', '.join(sorted(extra))}, which not every system has")
    return f"manylinux_2_{max(map(glibc, binaries + bundled))}_{platform.machine()}"


def main():
    tree, version, out = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    name = f"warplab-{version}"
    bundled, own = sorted(tree.glob("lib/warplab/bundled/*")), sorted(tree.glob("lib/warplab/*.so.*"))
    platform_tag = tag([tree / "bin/warprun", *own], bundled)
    wheel = out / f"{name}-py3-none-{platform_tag}.whl"
    record = []

    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as z:

        def add(path, data, mode=0o644):
            entry = zipfile.ZipInfo(path, EPOCH)
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            z.writestr(entry, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(data)}")

        for f in sorted(p for p in tree.rglob("*") if p.is_file()):
            where = f.relative_to(tree).as_posix()
            place = f"scripts/{f.name}" if where.startswith("bin/") else f"data/{where}"
            add(f"{name}.data/{place}", f.read_bytes(), f.stat().st_mode & 0o777)
        info = f"{name}.dist-info"
        add(f"{info}/METADATA", METADATA.format(version=version).encode())
        add(f"{info}/licenses/LICENSE", pathlib.Path("LICENSE").read_bytes())
        add(f"{info}/WHEEL", ("Wheel-Version: 1.0\nGenerator: warplab\nRoot-Is-Purelib: false\n"
                              f"Tag: py3-none-{platform_tag}\n").encode())
        for b in bundled:  # their licences ask to be handed on
            package = re.sub(r"\.so\.(\d+)$", r"\1", b.name).replace("liblz41", "liblz4-1")
            text = pathlib.Path("/usr/share/doc", package, "copyright")
            add(f"{info}/licenses/{package}", text.read_bytes())
        path = f"{info}/RECORD"
        z.writestr(zipfile.ZipInfo(path, EPOCH), "\n".join(record + [f"{path},,", ""]))
    print(wheel)


main()
