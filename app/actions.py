"""Every action of the studio, declared once; menus, toolbar, shortcuts and the palette come from here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QT_TRANSLATE_NOOP

Kind = Literal["deed", "switch", "choice"]

# What must be true for an action to be possible. The text says why not, in its tool tip.
CONDITIONS: dict[str, str] = {
    "project": QT_TRANSLATE_NOOP("Conditions", "Open a project first."),
    "text": QT_TRANSLATE_NOOP("Conditions", "Write something first."),
    "blocks": QT_TRANSLATE_NOOP("Conditions", "Put the caret into a line first."),
    "engine": QT_TRANSLATE_NOOP("Conditions", "The model is still loading."),
    "takes": QT_TRANSLATE_NOOP("Conditions", "This line has no take yet."),
    "two_takes": QT_TRANSLATE_NOOP("Conditions", "Comparing needs two takes of a line."),
    "can_undo": QT_TRANSLATE_NOOP("Conditions", "There is nothing to undo."),
    "can_redo": QT_TRANSLATE_NOOP("Conditions", "There is nothing to redo."),
    "selected_text": QT_TRANSLATE_NOOP("Conditions", "Select some text first."),
    "player": QT_TRANSLATE_NOOP("Conditions", "Sound is not ready yet."),
    "making": QT_TRANSLATE_NOOP("Conditions", "Nothing is being made."),
}


@dataclass(frozen=True)
class Action:
    """One thing a person can do.

    Attributes:
        id: stable name; settings keep shortcuts under it.
        text: in menus and the palette; `&` marks the access key; source text for translation (context "Actions").
        keys: default shortcuts, the first is shown.
        icon: name of a file in resources/icons, or "".
        tip: one sentence more than the text says.
        needs: names of CONDITIONS.
        kind: a deed; a switch that is on or off; a choice among those whose `group` is the same.
    """

    id: str
    text: str
    keys: tuple[str, ...] = ()
    icon: str = ""
    tip: str = ""
    needs: tuple[str, ...] = ()
    kind: Kind = "deed"
    group: str = ""


def _action(
    id: str,
    text: str,
    keys: str = "",
    icon: str = "",
    tip: str = "",
    needs: str = "",
    kind: Kind = "deed",
    group: str = "",
) -> Action:
    return Action(id, text, tuple(keys.split()), icon, tip, tuple(needs.split()), kind, group)


N = QT_TRANSLATE_NOOP
ACTIONS: tuple[Action, ...] = (
    # File
    _action("new_project", N("Actions", "&New project"), "Ctrl+N", "file-new", N("Actions", "Start an empty script.")),
    _action("open_project", N("Actions", "&Open…"), "Ctrl+O", "folder", N("Actions", "Open a project or a text file.")),
    _action(
        "open_sample",
        N("Actions", "Open the &sample project"),
        "",
        "sparkle",
        N("Actions", "A short script with two voices, ready to be heard."),
    ),
    _action(
        "import_script",
        N("Actions", "&Import text…"),
        "Ctrl+Shift+I",
        "import",
        N("Actions", "Bring in a text, a document, a book or subtitles."),
    ),
    _action(
        "save_project",
        N("Actions", "&Save"),
        "Ctrl+S",
        "save",
        N("Actions", "Everything is kept as you write; this gives an untitled project a name."),
        "project",
    ),
    _action(
        "save_as",
        N("Actions", "Save &as…"),
        "Ctrl+Shift+S",
        "",
        N("Actions", "Keep a copy under another name and go on in it."),
        "project",
    ),
    _action(
        "recover",
        N("Actions", "&Recover a project…"),
        "",
        "clock",
        N("Actions", "Untitled projects and what was left by a crash."),
    ),
    _action(
        "export",
        N("Actions", "&Export…"),
        "Ctrl+E",
        "export",
        N("Actions", "Write the programme as sound files, with subtitles if you like."),
        "text",
    ),
    _action("export_chapter", N("Actions", "Export this &chapter…"), "", "", "", "blocks"),
    _action("export_selection", N("Actions", "Export the selection…"), "", "", "", "blocks"),
    _action("preferences", N("Actions", "&Preferences…"), "Ctrl+,", "settings"),
    _action("quit", N("Actions", "&Quit"), "Ctrl+Q", "quit"),
    # Edit
    _action("undo", N("Actions", "&Undo"), "Ctrl+Z", "undo", "", "can_undo"),
    _action("redo", N("Actions", "&Redo"), "Ctrl+Shift+Z Ctrl+Y", "redo", "", "can_redo"),
    _action("cut", N("Actions", "Cu&t"), "Ctrl+X", "cut", "", "selected_text"),
    _action("copy", N("Actions", "&Copy"), "Ctrl+C", "copy", "", "selected_text"),
    _action("paste", N("Actions", "&Paste"), "Ctrl+V", "paste", "", "project"),
    _action("select_all", N("Actions", "Select &all"), "Ctrl+A", "", "", "project"),
    _action(
        "find",
        N("Actions", "&Find…"),
        "Ctrl+F",
        "search",
        N("Actions", "Find in the script, also by pattern."),
        "project",
    ),
    _action(
        "replace",
        N("Actions", "R&eplace…"),
        "Ctrl+H",
        "replace",
        N("Actions", "Replace in the script; only changed lines have to be spoken again."),
        "project",
    ),
    _action("find_next", N("Actions", "Find &next"), "F3", "", "", "project"),
    _action("find_previous", N("Actions", "Find pre&vious"), "Shift+F3", "", "", "project"),
    _action(
        "lexicon",
        N("Actions", "&Pronunciations…"),
        "Ctrl+L",
        "book",
        N("Actions", "Words and how they are to be spoken, for the whole project."),
        "project",
    ),
    # Insert
    _action(
        "insert_pause",
        N("Actions", "&Pause"),
        "Ctrl+P",
        "insert-pause",
        N("Actions", "A pause at the caret; drag it longer or click it to type a length."),
        "project",
    ),
    _action(
        "insert_length",
        N("Actions", "&Length of this line"),
        "Ctrl+Shift+L",
        "fit",
        N("Actions", "Say how long this line must last."),
        "blocks",
    ),
    _action(
        "insert_pronunciation",
        N("Actions", "P&ronunciation here"),
        "Ctrl+Shift+P",
        "voice",
        N("Actions", "Say how the selected word is spoken, here only."),
        "project",
    ),
    _action(
        "make_speech",
        N("Actions", "&Speech"),
        "Ctrl+0",
        "",
        N("Actions", "Turn these lines into spoken text."),
        "blocks",
    ),
    _action("make_chapter", N("Actions", "&Chapter heading"), "Ctrl+1", "chapter", "", "blocks"),
    _action("make_scene", N("Actions", "Sc&ene heading"), "Ctrl+2", "", "", "blocks"),
    _action("make_note", N("Actions", "&Note"), "Ctrl+/", "note", N("Actions", "A note is never spoken."), "blocks"),
    # Takes
    _action(
        "again",
        N("Actions", "Speak &again"),
        "Ctrl+R",
        "again",
        N("Actions", "Another take of these lines, with the next seed."),
        "blocks engine",
    ),
    _action(
        "three_takes",
        N("Actions", "&Three takes"),
        "Ctrl+Shift+R",
        "dice",
        N("Actions", "Three takes to choose from."),
        "blocks engine",
    ),
    _action(
        "next_take",
        N("Actions", "N&ext take"),
        "Ctrl+]",
        "",
        N("Actions", "Choose the next take of this line."),
        "takes",
    ),
    _action(
        "previous_take", N("Actions", "Pre&vious take"), "Ctrl+[", "", N("Actions", "Choose the take before."), "takes"
    ),
    _action(
        "compare_takes",
        N("Actions", "&Compare A/B"),
        "Ctrl+B",
        "compare",
        N("Actions", "Go back and forth between the two takes heard last."),
        "two_takes",
    ),
    _action("delete_take", N("Actions", "&Delete this take"), "", "trash", "", "takes"),
    _action(
        "lock",
        N("Actions", "&Lock"),
        "Ctrl+Shift+K",
        "lock",
        N("Actions", "A locked line keeps its take when others are made again."),
        "blocks",
        "switch",
    ),
    _action(
        "next_suspicious",
        N("Actions", "Next &suspicious line"),
        "F8",
        "suspicious",
        N("Actions", "Go to the next line whose take may be wrong."),
        "project",
    ),
    _action("previous_suspicious", N("Actions", "Previous s&uspicious line"), "Shift+F8", "", "", "project"),
    # Play
    _action(
        "play_pause",
        N("Actions", "&Play or pause"),
        "Ctrl+Return Ctrl+Enter",
        "play",
        N("Actions", "Speak from the caret."),
        "text player",
    ),
    _action("play_selection", N("Actions", "Play the &selection"), "Ctrl+Shift+Return", "", "", "blocks player"),
    _action("play_from_start", N("Actions", "Play from the &beginning"), "Ctrl+Alt+Return", "", "", "text player"),
    _action("stop", N("Actions", "S&top"), "Ctrl+.", "stop", "", "player"),
    _action("previous_block", N("Actions", "Pre&vious line"), "Alt+Up", "previous", "", "text player"),
    _action("next_block", N("Actions", "&Next line"), "Alt+Down", "next", "", "text player"),
    _action(
        "loop",
        N("Actions", "&Loop"),
        "Ctrl+Shift+O",
        "loop",
        N("Actions", "Play the selection round and round."),
        "player",
        "switch",
    ),
    _action(
        "record_voice",
        N("Actions", "&Record a voice…"),
        "",
        "record",
        N("Actions", "Make a voice with the microphone."),
    ),
    _action(
        "add_voice",
        N("Actions", "&Add a voice from a file…"),
        "",
        "voice",
        N("Actions", "A clip of a few seconds, without music or noise."),
    ),
    # Render
    _action(
        "render_stale",
        N("Actions", "Make what is &missing"),
        "F9",
        "queue",
        N("Actions", "Speak every line that has no take of its present text."),
        "text engine",
    ),
    _action("render_selection", N("Actions", "Make the &selection"), "Shift+F9", "", "", "blocks engine"),
    _action("render_chapter", N("Actions", "Make this &chapter"), "", "", "", "blocks engine"),
    _action(
        "cancel_making",
        N("Actions", "&Stop making"),
        "Ctrl+Shift+.",
        "close",
        N("Actions", "Cancel everything that waits or is being spoken."),
        "making",
    ),
    # View
    _action(
        "palette", N("Actions", "&Command palette…"), "Ctrl+K", "command", N("Actions", "Every action by its name.")
    ),
    _action("theme_dark", N("Actions", "&Dark"), "", "moon", "", "", "choice", "theme"),
    _action("theme_light", N("Actions", "&Light"), "", "sun", "", "", "choice", "theme"),
    _action("theme_system", N("Actions", "As the &system"), "", "", "", "", "choice", "theme"),
    _action("larger_text", N("Actions", "&Larger text"), "Ctrl+= Ctrl++"),
    _action("smaller_text", N("Actions", "S&maller text"), "Ctrl+-"),
    _action(
        "next_region",
        N("Actions", "Next &region"),
        "F6",
        "",
        N("Actions", "Give the keyboard to the next part of the window."),
    ),
    _action("previous_region", N("Actions", "Previous region"), "Shift+F6"),
    _action("full_screen", N("Actions", "&Full screen"), "F11", "maximize", "", "", "switch"),
    _action("reset_layout", N("Actions", "Reset the la&yout")),
    # Tools and help
    _action(
        "models",
        N("Actions", "&Models…"),
        "",
        "chip",
        N("Actions", "Choose, download and check models and speech servers."),
    ),
    _action("shortcuts", N("Actions", "&Keyboard shortcuts…"), "F1", "keyboard"),
    _action("about", N("Actions", "&About Moss Voice Studio"), "", "info"),
)

BY_ID: dict[str, Action] = {action.id: action for action in ACTIONS}

# The menu bar: title, then ids; "-" is a line, "@name" a submenu that the window fills.
MENUS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        N("Menus", "&File"),
        (
            "new_project",
            "open_project",
            "@recent",
            "open_sample",
            "import_script",
            "-",
            "save_project",
            "save_as",
            "recover",
            "-",
            "export",
            "export_chapter",
            "export_selection",
            "-",
            "preferences",
            "-",
            "quit",
        ),
    ),
    (
        N("Menus", "&Edit"),
        (
            "undo",
            "redo",
            "-",
            "cut",
            "copy",
            "paste",
            "select_all",
            "-",
            "find",
            "replace",
            "find_next",
            "find_previous",
            "-",
            "lexicon",
        ),
    ),
    (
        N("Menus", "&Insert"),
        (
            "insert_pause",
            "insert_length",
            "insert_pronunciation",
            "-",
            "make_speech",
            "make_chapter",
            "make_scene",
            "make_note",
        ),
    ),
    (
        N("Menus", "&Takes"),
        (
            "again",
            "three_takes",
            "-",
            "next_take",
            "previous_take",
            "compare_takes",
            "delete_take",
            "lock",
            "-",
            "next_suspicious",
            "previous_suspicious",
            "-",
            "render_stale",
            "render_selection",
            "render_chapter",
            "cancel_making",
        ),
    ),
    (
        N("Menus", "&Play"),
        (
            "play_pause",
            "play_selection",
            "play_from_start",
            "stop",
            "-",
            "previous_block",
            "next_block",
            "loop",
            "-",
            "record_voice",
            "add_voice",
        ),
    ),
    (
        N("Menus", "&View"),
        (
            "palette",
            "-",
            "@docks",
            "@theme",
            "-",
            "larger_text",
            "smaller_text",
            "-",
            "next_region",
            "full_screen",
            "reset_layout",
        ),
    ),
    (N("Menus", "&Help"), ("models", "shortcuts", "about")),
)
SUBMENUS: dict[str, str] = {
    "@recent": N("Menus", "Open &recent"),
    "@docks": N("Menus", "&Panels"),
    "@theme": N("Menus", "&Appearance"),
}
