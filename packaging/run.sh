#!/usr/bin/env bash
# Sets up the studio where needed, then starts it; with arguments runs that command: packaging/run.sh say "Hello." -o hello.wav
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/setup.sh"
system_libraries libegl1 libgl1 libxkbcommon0 libdbus-1-3 libfontconfig1 libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 libxcb-shape0 \
    libxkbcommon-x11-0 libxcb-image0 libxcb-render-util0 libxcb-randr0 libxcb-xinerama0 libportaudio2
environment ""
# -P: a folder named app where this is called from is not the studio.
exec "$python" -P -m app.cli "$@"
