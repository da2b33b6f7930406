#!/usr/bin/env bash
# Sets up the studio and what its tests need, then runs the tests offscreen. Arguments go to pytest; --full runs the long ones too.
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/setup.sh"
system_libraries libegl1 libgl1 libxkbcommon0 libdbus-1-3 libfontconfig1 libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 libxcb-shape0 \
    libxkbcommon-x11-0 libxcb-image0 libxcb-render-util0 libxcb-randr0 libxcb-xinerama0 libportaudio2 \
    ffmpeg sox pulseaudio pulseaudio-utils libasound2-plugins fonts-dejavu-core fonts-noto-cjk
chosen=(-m "not full") extras="[test]" args=()
for arg in "$@"; do
    if [ "$arg" = --full ]; then chosen=() extras="[test,quality]"; else args+=("$arg"); fi
done
environment "$extras"
if [ "$extras" = "[test,quality]" ] && ! "$python" -c 'import importlib.metadata as m; m.version("resemblyzer")' 2>/dev/null; then
    # Without its dependencies: only its file of weights is read.
    "$python" -m pip install -q --disable-pip-version-check --no-deps -c "$top/packaging/constraints.txt" resemblyzer >&2 \
        || say "resemblyzer could not be installed; the tests of voices' likeness are skipped"
fi
export QT_QPA_PLATFORM=${QT_QPA_PLATFORM:-offscreen}
# Tests start processes of their own; threads of several that wait for each other on few cores are slower than one thread each.
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-1}
# A short path: sockets of the sound server live below it, and their names are limited to 108 bytes.
MOSS_PROFILE=$(mktemp -d "${TMPDIR:-/tmp}/moss-test.XXXXXX")
export MOSS_PROFILE
trap 'rm -rf "$MOSS_PROFILE"' EXIT
cd "$top"
"$python" -m pytest ${chosen[@]+"${chosen[@]}"} ${args[@]+"${args[@]}"}
