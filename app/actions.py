"""Every action of the studio, declared once; menus (see `app.menus`), toolbar, shortcuts and the palette use these."""

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
    "playing": QT_TRANSLATE_NOOP("Conditions", "Nothing is being played."),
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


ACTIONS: tuple[Action, ...] = (
    # File
    _action(
        "new_project",
        QT_TRANSLATE_NOOP("Actions", "&New project"),
        "Ctrl+N",
        "file-new",
        QT_TRANSLATE_NOOP("Actions", "Start an empty script."),
    ),
    _action(
        "open_project",
        QT_TRANSLATE_NOOP("Actions", "&Open…"),
        "Ctrl+O",
        "folder",
        QT_TRANSLATE_NOOP("Actions", "Open a project or a text file."),
    ),
    _action(
        "open_sample",
        QT_TRANSLATE_NOOP("Actions", "Open the &sample project"),
        "",
        "sparkle",
        QT_TRANSLATE_NOOP("Actions", "A short script with two voices, ready to be heard."),
    ),
    _action(
        "import_script",
        QT_TRANSLATE_NOOP("Actions", "&Import text…"),
        "Ctrl+Shift+I",
        "import",
        QT_TRANSLATE_NOOP("Actions", "Bring in a text, a document, a book or subtitles."),
    ),
    _action(
        "save_project",
        QT_TRANSLATE_NOOP("Actions", "&Save"),
        "Ctrl+S",
        "save",
        QT_TRANSLATE_NOOP("Actions", "Everything is kept as you write; this gives an untitled project a name."),
        "project",
    ),
    _action(
        "save_as",
        QT_TRANSLATE_NOOP("Actions", "Save &as…"),
        "Ctrl+Shift+S",
        "",
        QT_TRANSLATE_NOOP("Actions", "Keep a copy under another name and go on in it."),
        "project",
    ),
    _action(
        "compact",
        QT_TRANSLATE_NOOP("Actions", "&Compact"),
        "",
        "",
        QT_TRANSLATE_NOOP("Actions", "Make the project’s file smaller: takes that nothing needs are left out."),
        "project",
    ),
    _action(
        "earlier_versions",
        QT_TRANSLATE_NOOP("Actions", "Earlier &versions…"),
        "",
        "",
        QT_TRANSLATE_NOOP("Actions", "The script as it was when it was opened, and on the last days."),
        "project",
    ),
    _action(
        "recover",
        QT_TRANSLATE_NOOP("Actions", "&Recover a project…"),
        "",
        "clock",
        QT_TRANSLATE_NOOP("Actions", "Untitled projects and what was left by a crash."),
    ),
    _action(
        "export",
        QT_TRANSLATE_NOOP("Actions", "&Export…"),
        "Ctrl+E",
        "export",
        QT_TRANSLATE_NOOP("Actions", "Write the programme as sound files, with subtitles if you like."),
        "text",
    ),
    _action("export_chapter", QT_TRANSLATE_NOOP("Actions", "Export this &chapter…"), "", "", "", "blocks"),
    _action("export_selection", QT_TRANSLATE_NOOP("Actions", "Export the selection…"), "", "", "", "blocks"),
    _action("preferences", QT_TRANSLATE_NOOP("Actions", "&Preferences…"), "Ctrl+,", "settings"),
    _action("quit", QT_TRANSLATE_NOOP("Actions", "&Quit"), "Ctrl+Q", "quit"),
    # Edit
    _action("undo", QT_TRANSLATE_NOOP("Actions", "&Undo"), "Ctrl+Z", "undo", "", "can_undo"),
    _action("redo", QT_TRANSLATE_NOOP("Actions", "&Redo"), "Ctrl+Shift+Z Ctrl+Y", "redo", "", "can_redo"),
    _action("cut", QT_TRANSLATE_NOOP("Actions", "Cu&t"), "Ctrl+X", "cut", "", "selected_text"),
    _action("copy", QT_TRANSLATE_NOOP("Actions", "&Copy"), "Ctrl+C", "copy", "", "selected_text"),
    _action("paste", QT_TRANSLATE_NOOP("Actions", "&Paste"), "Ctrl+V", "paste", "", "project"),
    _action("select_all", QT_TRANSLATE_NOOP("Actions", "Select &all"), "Ctrl+A", "", "", "project"),
    _action(
        "find",
        QT_TRANSLATE_NOOP("Actions", "&Find…"),
        "Ctrl+F",
        "search",
        QT_TRANSLATE_NOOP("Actions", "Find in the script, also by pattern."),
        "project",
    ),
    _action(
        "replace",
        QT_TRANSLATE_NOOP("Actions", "R&eplace…"),
        "Ctrl+H",
        "replace",
        QT_TRANSLATE_NOOP("Actions", "Replace in the script; only changed lines have to be spoken again."),
        "project",
    ),
    _action("find_next", QT_TRANSLATE_NOOP("Actions", "Find &next"), "F3", "", "", "project"),
    _action("find_previous", QT_TRANSLATE_NOOP("Actions", "Find pre&vious"), "Shift+F3", "", "", "project"),
    _action(
        "lexicon",
        QT_TRANSLATE_NOOP("Actions", "&Pronunciations…"),
        "Ctrl+L",
        "book",
        QT_TRANSLATE_NOOP("Actions", "Words and how they are to be spoken, for the whole project."),
        "project",
    ),
    # Insert
    _action(
        "insert_pause",
        QT_TRANSLATE_NOOP("Actions", "&Pause"),
        "Ctrl+P",
        "insert-pause",
        QT_TRANSLATE_NOOP("Actions", "A pause at the caret; drag it longer or click it to type a length."),
        "project",
    ),
    _action(
        "insert_length",
        QT_TRANSLATE_NOOP("Actions", "&Length of this line"),
        "Ctrl+Shift+L",
        "fit",
        QT_TRANSLATE_NOOP("Actions", "Say how long this line must last."),
        "blocks",
    ),
    _action(
        "insert_pronunciation",
        QT_TRANSLATE_NOOP("Actions", "P&ronunciation here"),
        "Ctrl+Shift+P",
        "voice",
        QT_TRANSLATE_NOOP("Actions", "Say how the selected word is spoken, here only."),
        "project",
    ),
    _action(
        "make_speech",
        QT_TRANSLATE_NOOP("Actions", "&Speech"),
        "Ctrl+0",
        "",
        QT_TRANSLATE_NOOP("Actions", "Turn these lines into spoken text."),
        "blocks",
    ),
    _action("make_chapter", QT_TRANSLATE_NOOP("Actions", "&Chapter heading"), "Ctrl+1", "chapter", "", "blocks"),
    _action("make_scene", QT_TRANSLATE_NOOP("Actions", "Sc&ene heading"), "Ctrl+2", "", "", "blocks"),
    _action(
        "make_note",
        QT_TRANSLATE_NOOP("Actions", "&Note"),
        "Ctrl+/",
        "note",
        QT_TRANSLATE_NOOP("Actions", "A note is never spoken."),
        "blocks",
    ),
    # Takes
    _action(
        "again",
        QT_TRANSLATE_NOOP("Actions", "Speak &again"),
        "Ctrl+R",
        "again",
        QT_TRANSLATE_NOOP("Actions", "Another take of these lines, with the next seed."),
        "blocks engine",
    ),
    _action(
        "three_takes",
        QT_TRANSLATE_NOOP("Actions", "&Three takes"),
        "Ctrl+Shift+R",
        "dice",
        QT_TRANSLATE_NOOP("Actions", "Three takes to choose from."),
        "blocks engine",
    ),
    _action(
        "again_sentences",
        QT_TRANSLATE_NOOP("Actions", "Speak the se&lected sentences again"),
        "Ctrl+Alt+R",
        "again",
        QT_TRANSLATE_NOOP("Actions", "A take in which only these sentences are new; the rest stays as it is."),
        "takes engine",
    ),
    _action(
        "next_take",
        QT_TRANSLATE_NOOP("Actions", "N&ext take"),
        "Ctrl+]",
        "",
        QT_TRANSLATE_NOOP("Actions", "Choose the next take of this line."),
        "takes",
    ),
    _action(
        "previous_take",
        QT_TRANSLATE_NOOP("Actions", "Pre&vious take"),
        "Ctrl+[",
        "",
        QT_TRANSLATE_NOOP("Actions", "Choose the take before."),
        "takes",
    ),
    _action(
        "compare_takes",
        QT_TRANSLATE_NOOP("Actions", "&Compare A/B"),
        "Ctrl+B",
        "compare",
        QT_TRANSLATE_NOOP("Actions", "Go back and forth between the two takes heard last."),
        "two_takes",
    ),
    _action("delete_take", QT_TRANSLATE_NOOP("Actions", "&Delete this take"), "", "trash", "", "takes"),
    _action(
        "lock",
        QT_TRANSLATE_NOOP("Actions", "&Lock"),
        "Ctrl+Shift+K",
        "lock",
        QT_TRANSLATE_NOOP("Actions", "A locked line keeps its take when others are made again."),
        "blocks",
        "switch",
    ),
    _action(
        "next_suspicious",
        QT_TRANSLATE_NOOP("Actions", "Next &suspicious line"),
        "F8",
        "suspicious",
        QT_TRANSLATE_NOOP("Actions", "Go to the next line whose take may be wrong."),
        "project",
    ),
    _action(
        "previous_suspicious", QT_TRANSLATE_NOOP("Actions", "Previous s&uspicious line"), "Shift+F8", "", "", "project"
    ),
    # Play
    _action(
        "play_pause",
        QT_TRANSLATE_NOOP("Actions", "&Play or pause"),
        "Ctrl+Return Ctrl+Enter",
        "play",
        QT_TRANSLATE_NOOP("Actions", "Speak from the caret."),
        "text player",
    ),
    _action(
        "play_selection",
        QT_TRANSLATE_NOOP("Actions", "Play the &selection"),
        "Ctrl+Shift+Return",
        "",
        "",
        "text blocks player",
    ),
    _action(
        "play_from_start",
        QT_TRANSLATE_NOOP("Actions", "Play from the &beginning"),
        "Ctrl+Alt+Return",
        "",
        "",
        "text player",
    ),
    _action("stop", QT_TRANSLATE_NOOP("Actions", "S&top"), "Ctrl+.", "stop", "", "player playing"),
    _action("previous_block", QT_TRANSLATE_NOOP("Actions", "Pre&vious line"), "Alt+Up", "previous", "", "text player"),
    _action("next_block", QT_TRANSLATE_NOOP("Actions", "&Next line"), "Alt+Down", "next", "", "text player"),
    _action(
        "loop",
        QT_TRANSLATE_NOOP("Actions", "&Loop"),
        "Ctrl+Shift+O",
        "loop",
        QT_TRANSLATE_NOOP("Actions", "Play the selection round and round."),
        "player",
        "switch",
    ),
    _action(
        "record_voice",
        QT_TRANSLATE_NOOP("Actions", "&Record a voice…"),
        "",
        "record",
        QT_TRANSLATE_NOOP("Actions", "Make a voice with the microphone."),
    ),
    _action(
        "add_voice",
        QT_TRANSLATE_NOOP("Actions", "&Add a voice from a file…"),
        "",
        "voice",
        QT_TRANSLATE_NOOP("Actions", "A clip of a few seconds, without music or noise."),
    ),
    # Render
    _action(
        "render_stale",
        QT_TRANSLATE_NOOP("Actions", "Make what is &missing"),
        "F9",
        "queue",
        QT_TRANSLATE_NOOP("Actions", "Speak every line that has no take of its present text."),
        "text engine",
    ),
    _action(
        "render_selection", QT_TRANSLATE_NOOP("Actions", "Make the &selection"), "Shift+F9", "", "", "blocks engine"
    ),
    _action("render_chapter", QT_TRANSLATE_NOOP("Actions", "Make this &chapter"), "", "", "", "blocks engine"),
    _action(
        "pause_making",
        QT_TRANSLATE_NOOP("Actions", "Pa&use making"),
        "Ctrl+F9",
        "pause",
        QT_TRANSLATE_NOOP("Actions", "Start nothing more that nobody listens to; what waits stays in the queue."),
        "engine",
        "switch",
    ),
    _action(
        "cancel_making",
        QT_TRANSLATE_NOOP("Actions", "&Stop making"),
        "Ctrl+Shift+.",
        "close",
        QT_TRANSLATE_NOOP("Actions", "Cancel everything that waits or is being spoken."),
        "making",
    ),
    # View
    _action(
        "palette",
        QT_TRANSLATE_NOOP("Actions", "&Command palette…"),
        "Ctrl+K",
        "command",
        QT_TRANSLATE_NOOP("Actions", "Every action by its name."),
    ),
    _action("theme_dark", QT_TRANSLATE_NOOP("Actions", "&Dark"), "", "moon", "", "", "choice", "theme"),
    _action("theme_light", QT_TRANSLATE_NOOP("Actions", "&Light"), "", "sun", "", "", "choice", "theme"),
    _action("theme_system", QT_TRANSLATE_NOOP("Actions", "As the &system"), "", "", "", "", "choice", "theme"),
    _action("larger_text", QT_TRANSLATE_NOOP("Actions", "&Larger text"), "Ctrl+= Ctrl++"),
    _action("smaller_text", QT_TRANSLATE_NOOP("Actions", "S&maller text"), "Ctrl+-"),
    _action(
        "next_region",
        QT_TRANSLATE_NOOP("Actions", "Next &region"),
        "F6",
        "",
        QT_TRANSLATE_NOOP("Actions", "Give the keyboard to the next part of the window."),
    ),
    _action("previous_region", QT_TRANSLATE_NOOP("Actions", "Previous region"), "Shift+F6"),
    _action("full_screen", QT_TRANSLATE_NOOP("Actions", "&Full screen"), "F11", "maximize", "", "", "switch"),
    _action("reset_layout", QT_TRANSLATE_NOOP("Actions", "Reset the la&yout")),
    # Tools and help
    _action(
        "models",
        QT_TRANSLATE_NOOP("Actions", "&Models…"),
        "",
        "chip",
        QT_TRANSLATE_NOOP("Actions", "Choose, download and check models and speech servers."),
    ),
    _action("shortcuts", QT_TRANSLATE_NOOP("Actions", "&Keyboard shortcuts…"), "F1", "keyboard"),
    _action("about", QT_TRANSLATE_NOOP("Actions", "&About Moss Voice Studio"), "", "info"),
)

BY_ID: dict[str, Action] = {action.id: action for action in ACTIONS}
