# Sets up the studio on this machine; sourced by run.sh and test.sh. Speaks on stderr only.
#
# Sets: top (the checkout), python (the environment's interpreter).
# Honours: MOSS_VENV (another place for the environment), MOSS_PYTHON (which interpreter makes it), MOSS_NO_SYSTEM=1 (touch no system packages).

set -euo pipefail
top=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)
venv=${MOSS_VENV:-$top/.venv}
case $venv in /*) ;; *) venv=$PWD/$venv ;; esac
python=$venv/bin/python
stamp=$venv/.moss-stamp
# Another environment on the path of modules would be read before this one.
unset PYTHONHOME PYTHONPATH

say() { printf 'moss-voice-studio: %s\n' "$*" >&2; }

system_libraries() {
    # The packages named here hold what PySide6 and sounddevice load from the system. Only where apt and the right to use it are there.
    [ "${MOSS_NO_SYSTEM:-}" = 1 ] && return 0
    command -v dpkg-query >/dev/null 2>&1 && command -v apt-get >/dev/null 2>&1 || return 0
    local installed missing=() package
    installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null || true)
    for package in "$@"; do
        case $'\n'$installed$'\n' in *$'\n'"$package installed"$'\n'*) ;; *) missing+=("$package") ;; esac
    done
    [ ${#missing[@]} -eq 0 ] && return 0
    local as_root=
    if [ "$(id -u)" -ne 0 ]; then
        if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then as_root="sudo -n"; else
            # Said once for each set of packages: commands work without them.
            is_done "without: ${missing[*]}" && return 0
            without=${missing[*]}
            say "these system packages are missing and this account may not install them: ${missing[*]}"
            say "ask an administrator for: apt-get install ${missing[*]}"
            return 0
        fi
    fi
    say "installing system packages: ${missing[*]}"
    if ! DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -q --no-install-recommends "${missing[@]}" >&2; then
        $as_root apt-get update -q >&2 || true
        DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -q --no-install-recommends "${missing[@]}" >&2 \
            || say "some system packages could not be installed; going on without them"
    fi
}

find_python() {
    local candidate
    for candidate in ${MOSS_PYTHON:+"$MOSS_PYTHON"} python3.11 python3.12 python3.13 python3.14 python3; do
        command -v "$candidate" >/dev/null 2>&1 || continue
        if "$candidate" -c 'import sys; sys.exit(not ((3, 11) <= sys.version_info[:2] < (3, 15)))' 2>/dev/null; then
            printf '%s' "$candidate"
            return 0
        fi
    done
    say "Python 3.11 or newer is needed. Install it (Debian: apt-get install python3 python3-venv) and run this again."
    exit 4
}

# One line, changed by whatever asks for a new set-up.
sum() { cat "$@" | cksum | tr ' ' '-'; }

is_done() { [ -x "$python" ] && grep -qxF -- "$1" "$stamp" 2>/dev/null; }

# An environment with extras serves those who ask for none.
is_installed() { is_done "$1" || case $1 in *" ") [ -x "$python" ] && grep -qF -- "$1" "$stamp" 2>/dev/null ;; *) false ;; esac; }

environment() {
    # $1: extras, such as "" or "[test]". Each line of the stamp is one thing done, written when it is: what was cut off is done again.
    local wanted compiled
    wanted="$(sum "$top/pyproject.toml" "$top/packaging/constraints.txt") $top $1"
    compiled="compiled $(sum "$top/engine/lm/kernels.py") $top"
    if ! { is_installed "$wanted" && is_done "$compiled"; }; then
        (
            if ! mkdir -p "$venv" 2>/dev/null || [ ! -w "$venv" ]; then
                say "this account cannot write the environment $venv. Set MOSS_VENV to a folder of its own and run this again."
                exit 4
            fi
            # Two that start at once do this once.
            if command -v flock >/dev/null 2>&1; then exec 9>"$venv/.moss-lock"; flock 9; fi
            is_installed "$wanted" || install "$1" "$wanted"
            is_done "$compiled" || compile "$compiled"
        )
    fi
    [ -z "${without:-}" ] || printf 'without: %s\n' "$without" >> "$stamp"
}

install() {
    if ! "$python" -m pip --version >/dev/null 2>&1; then
        local base again=
        base=$(find_python)
        # Half an environment is made anew; a folder that is none is never emptied.
        [ ! -e "$venv/pyvenv.cfg" ] || again=--clear
        say "making the environment $venv"
        "$base" -m venv $again "$venv" >&2 || { say "the venv module is missing (Debian: apt-get install python3-venv)"; exit 4; }
    fi
    # pip writes a package's RECORD last: one without was cut off, and pip would take it for installed.
    local info
    for info in "$venv"/lib/python3*/site-packages/*.dist-info; do
        [ ! -d "$info" ] || [ -e "$info/RECORD" ] || rm -rf "$info"
    done
    say "installing dependencies (once; torch is the large one)"
    if ! "$python" -m pip install -q --disable-pip-version-check -c "$top/packaging/constraints.txt" torch -e "$top$1" >&2; then
        say "the dependencies could not be installed; pip says above why. Run this again to go on."
        exit 4
    fi
    # What other versions or another checkout left in this environment is no longer true.
    { grep -F -e "${2% *} " -e "compiled " -- "$stamp" 2>/dev/null || true; printf '%s\n' "$2"; } | sort -u > "$stamp.new"
    mv "$stamp.new" "$stamp"
}

compile() {
    # The decode step is compiled for this processor at first use (about 5 s) and kept on disk: better now than in a person's first word.
    say "compiling the decode step for this processor (once)"
    local profile
    profile=$(mktemp -d "${TMPDIR:-/tmp}/moss-compile.XXXXXX")
    if "$python" -P -m app.cli --profile "$profile" say "Hello." -o "$profile/hello.wav" >/dev/null 2>"$profile/said"; then
        printf '%s\n' "$1" >> "$stamp"
    else
        cat "$profile/said" >&2
        say "the starter model could not speak here; packaging/run.sh doctor says what is missing"
    fi
    rm -rf "$profile"
}
