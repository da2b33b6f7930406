#!/usr/bin/env bash
# Puts the studio into this account's menu of programs, and .mvs projects with it; --remove takes it out again.
set -euo pipefail
top=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
data=${XDG_DATA_HOME:-$HOME/.local/share}
entry=$data/applications/moss-voice-studio.desktop
icon=$data/icons/hicolor/scalable/apps/moss-voice-studio.svg
type=$data/mime/packages/moss-voice-studio.xml

refresh() {
    # Menus notice by themselves; these make it quicker where they are there.
    update-desktop-database -q "$data/applications" 2>/dev/null || true
    update-mime-database "$data/mime" >/dev/null 2>&1 || true
}

if [ "${1:-}" = --remove ]; then
    rm -f "$entry" "$icon" "$type"
    refresh
    exit 0
fi

# Set up first: from a menu nobody would see it.
"$top/packaging/run.sh" --version >&2

# A path as the desktop entry's Exec wants it: quoted, and its special signs escaped, twice for the file's own escapes.
program=$(printf '%s' "$top/packaging/run.sh" | sed -e 's/[\\"`$]/\\&/g' -e 's/\\/\\\\/g' -e 's/%/%%/g')
mkdir -p "$(dirname "$entry")" "$(dirname "$icon")" "$(dirname "$type")"
cp "$top/resources/icons/studio.svg" "$icon"
cp "$top/packaging/linux/moss-voice-studio.xml" "$type"
while IFS= read -r line; do
    [ "$line" != 'Exec=moss-voice-studio %f' ] || line="Exec=\"$program\" %f"
    printf '%s\n' "$line"
done < "$top/packaging/linux/moss-voice-studio.desktop" > "$entry.new"
mv "$entry.new" "$entry"
refresh
printf 'moss-voice-studio: in the menu of programs now; "%s --remove" takes it out.\n' "$0" >&2
