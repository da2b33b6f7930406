# Sets up the studio on this machine; sourced by run.sh and test.sh. Speaks on stderr only.
#
# Sets: top (the checkout), python (the environment's interpreter).
# Honours: MOSS_VENV (another place for the environment), MOSS_PYTHON (which interpreter makes it), MOSS_NO_SYSTEM=1 (touch no system packages).

set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv=${MOSS_VENV:-$top/.venv}
python=$venv/bin/python

say() { printf 'moss-voice-studio: %s\n' "$*" >&2; }

system_libraries() {
    # The packages named here hold what PySide6 and sounddevice load from the system. Only where apt and the right to use it are there.
    [ "${MOSS_NO_SYSTEM:-}" = 1 ] && return 0
    command -v apt-get >/dev/null 2>&1 || return 0
    local missing=() package
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return 0
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        if sudo -n true 2>/dev/null; then as_root=(sudo -n); else
            say "these system packages are missing and this account may not install them: ${missing[*]}"
            say "ask an administrator for: apt-get install ${missing[*]}"
            return 0
        fi
    fi
    say "installing system packages: ${missing[*]}"
    if ! DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -q --no-install-recommends "${missing[@]}" >&2; then
        "${as_root[@]}" apt-get update -q >&2 || true
        DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -q --no-install-recommends "${missing[@]}" >&2 \
            || say "some system packages could not be installed; going on without them"
    fi
}

find_python() {
    local candidate
    for candidate in ${MOSS_PYTHON:-} python3.11 python3.12 python3.13 python3; do
        command -v "$candidate" >/dev/null 2>&1 || continue
        if "$candidate" -c 'import sys; sys.exit(not ((3, 11) <= sys.version_info[:2] < (3, 15)))' 2>/dev/null; then
            printf '%s' "$candidate"
            return 0
        fi
    done
    say "Python 3.11 or newer is needed. Install it (Debian: apt-get install python3 python3-venv) and run this again."
    exit 4
}

environment() {
    # $1: extras, such as "" or "[test]". Installs anew only when pyproject.toml, the constraints or the extras changed.
    local stamp=$venv/.moss-stamp want
    want=$(cat "$top/pyproject.toml" "$top/packaging/constraints.txt" | sha256sum | cut -d' ' -f1)
    if [ -x "$python" ] && grep -qxF -- "$want $1" "$stamp" 2>/dev/null; then return 0; fi
    if [ ! -x "$python" ]; then
        local base
        base=$(find_python)
        say "making the environment $venv"
        "$base" -m venv "$venv" >&2 || { say "the venv module is missing (Debian: apt-get install python3-venv)"; exit 4; }
    fi
    say "installing dependencies (once; torch is the large one)"
    "$python" -m pip install -q --disable-pip-version-check -c "$top/packaging/constraints.txt" torch >&2
    "$python" -m pip install -q --disable-pip-version-check -c "$top/packaging/constraints.txt" -e "$top$1" >&2
    { grep -F -- "$want " "$stamp" 2>/dev/null || true; printf '%s %s\n' "$want" "$1"; } | sort -u > "$stamp.new"
    mv "$stamp.new" "$stamp"
}
