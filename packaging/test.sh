#!/usr/bin/env bash
# Sets up the studio and what its tests need, then runs the tests offscreen. Arguments go to pytest; --full runs the long ones too.
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
system_libraries libegl1 libgl1 libxkbcommon0 libdbus-1-3 libfontconfig1 libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 libxcb-shape0 \
    libxkbcommon-x11-0 libxcb-image0 libxcb-render-util0 libxcb-randr0 libxcb-xinerama0 libportaudio2 \
    ffmpeg sox pulseaudio pulseaudio-utils libasound2-plugins fonts-dejavu-core fonts-noto-cjk
environment "[test]"
full=0 args=()
for arg in "$@"; do if [ "$arg" = --full ]; then full=1; else args+=("$arg"); fi; done
export QT_QPA_PLATFORM=${QT_QPA_PLATFORM:-offscreen}
# A short path: sockets of the sound server live below it, and their names are limited to 108 bytes.
MOSS_PROFILE=$(mktemp -d "${TMPDIR:-/tmp}/moss-test.XXXXXX")
export MOSS_PROFILE
trap 'rm -rf "$MOSS_PROFILE"' EXIT
cd "$top"
if [ $full = 1 ]; then
    environment "[test,quality]"
    "$python" -m pip install -q --disable-pip-version-check --no-deps -c packaging/constraints.txt resemblyzer >&2 || true
    "$python" -m pytest "${args[@]}"
else
    "$python" -m pytest -m "not full" "${args[@]}"
fi
