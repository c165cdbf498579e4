#!/bin/bash
# setup.sh - Gradescope: prepares the autograder's image (Ubuntu 22.04 or 24.04, no GPU).
# The zip you upload holds this file, run_autograder, warplab/ (a checkout of this project),
# lab.txt with the lab's name, and secret.txt with your secret. Submissions are marked in a
# sandbox of user namespaces: where a container forbids these, nothing is marked, and the
# result says so. Then mark the download on a machine of yours (grade batch).
set -eu
apt-get update
apt-get install -y --no-install-recommends git make gcc python3 python3-venv bubblewrap \
    libsqlite3-dev libjansson-dev libarchive-dev libseccomp-dev libyaml-dev nettle-dev libzstd-dev \
    liblz4-dev zlib1g-dev
cd "${AUTOGRADER:-/autograder}/source/warplab"
make grading
