"""Every action of the studio, declared once; menus (see `app.menus`), toolbar, shortcuts and the palette use these."""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP

from app.action import Action, action
from app.speech_actions import SPEECH_ACTIONS

ACTIONS: tuple[Action, ...] = (
    # File
    action(
        "new_project",
        QT_TRANSLATE_NOOP("Actions", "&New project"),
        keys="Ctrl+N",
        icon="file-new",
        tip=QT_TRANSLATE_NOOP("Actions", "Start an empty script."),
    ),
    action(
        "open_project",
        QT_TRANSLATE_NOOP("Actions", "&Open…"),
        keys="Ctrl+O",
        icon="folder",
        tip=QT_TRANSLATE_NOOP("Actions", "Open a project or a text file."),
    ),
    action(
        "open_sample",
        QT_TRANSLATE_NOOP("Actions", "Open the &sample project"),
        icon="sparkle",
        tip=QT_TRANSLATE_NOOP("Actions", "A short script with two voices, ready to be heard."),
    ),
    action(
        "import_script",
        QT_TRANSLATE_NOOP("Actions", "&Import text…"),
        keys="Ctrl+Shift+I",
        icon="import",
        tip=QT_TRANSLATE_NOOP("Actions", "Bring in a text, a document, a book or subtitles."),
    ),
    action(
        "save_project",
        QT_TRANSLATE_NOOP("Actions", "&Save"),
        keys="Ctrl+S",
        icon="save",
        tip=QT_TRANSLATE_NOOP("Actions", "Everything is kept as you write; this gives an untitled project a name."),
        needs="project",
    ),
    action(
        "save_as",
        QT_TRANSLATE_NOOP("Actions", "Save &as…"),
        keys="Ctrl+Shift+S",
        tip=QT_TRANSLATE_NOOP("Actions", "Keep a copy under another name and go on in it."),
        needs="project",
    ),
    action(
        "compact",
        QT_TRANSLATE_NOOP("Actions", "&Compact"),
        tip=QT_TRANSLATE_NOOP("Actions", "Make the project’s file smaller: takes that nothing needs are left out."),
        needs="project",
    ),
    action(
        "earlier_versions",
        QT_TRANSLATE_NOOP("Actions", "Earlier &versions…"),
        tip=QT_TRANSLATE_NOOP("Actions", "The script as it was when it was opened, and on the last days."),
        needs="project",
    ),
    action(
        "recover",
        QT_TRANSLATE_NOOP("Actions", "&Recover a project…"),
        icon="clock",
        tip=QT_TRANSLATE_NOOP("Actions", "Untitled projects and what was left by a crash."),
    ),
    action(
        "export",
        QT_TRANSLATE_NOOP("Actions", "&Export…"),
        keys="Ctrl+E",
        icon="export",
        tip=QT_TRANSLATE_NOOP("Actions", "Write the programme as sound files, with subtitles if you like."),
        needs="text",
    ),
    action("export_chapter", QT_TRANSLATE_NOOP("Actions", "Export this &chapter…"), needs="blocks"),
    action("export_selection", QT_TRANSLATE_NOOP("Actions", "Export the selection…"), needs="blocks"),
    action("preferences", QT_TRANSLATE_NOOP("Actions", "&Preferences…"), keys="Ctrl+,", icon="settings"),
    action("quit", QT_TRANSLATE_NOOP("Actions", "&Quit"), keys="Ctrl+Q", icon="quit"),
    # Edit
    action("undo", QT_TRANSLATE_NOOP("Actions", "&Undo"), keys="Ctrl+Z", icon="undo", needs="can_undo"),
    action("redo", QT_TRANSLATE_NOOP("Actions", "&Redo"), keys="Ctrl+Shift+Z Ctrl+Y", icon="redo", needs="can_redo"),
    action("cut", QT_TRANSLATE_NOOP("Actions", "Cu&t"), keys="Ctrl+X", icon="cut", needs="selected_text"),
    action("copy", QT_TRANSLATE_NOOP("Actions", "&Copy"), keys="Ctrl+C", icon="copy", needs="selected_text"),
    action("paste", QT_TRANSLATE_NOOP("Actions", "&Paste"), keys="Ctrl+V", icon="paste", needs="project"),
    action("select_all", QT_TRANSLATE_NOOP("Actions", "Select &all"), keys="Ctrl+A", needs="project"),
    action(
        "find",
        QT_TRANSLATE_NOOP("Actions", "&Find…"),
        keys="Ctrl+F",
        icon="search",
        tip=QT_TRANSLATE_NOOP("Actions", "Find in the script, also by pattern."),
        needs="project",
    ),
    action(
        "replace",
        QT_TRANSLATE_NOOP("Actions", "R&eplace…"),
        keys="Ctrl+H",
        icon="replace",
        tip=QT_TRANSLATE_NOOP("Actions", "Replace in the script; only changed lines have to be spoken again."),
        needs="project",
    ),
    action("find_next", QT_TRANSLATE_NOOP("Actions", "Find &next"), keys="F3", needs="project"),
    action("find_previous", QT_TRANSLATE_NOOP("Actions", "Find pre&vious"), keys="Shift+F3", needs="project"),
    action(
        "lexicon",
        QT_TRANSLATE_NOOP("Actions", "&Pronunciations…"),
        keys="Ctrl+L",
        icon="book",
        tip=QT_TRANSLATE_NOOP("Actions", "Words and how they are to be spoken, for the whole project."),
        needs="project",
    ),
    # Insert
    action(
        "insert_pause",
        QT_TRANSLATE_NOOP("Actions", "&Pause"),
        keys="Ctrl+P",
        icon="insert-pause",
        tip=QT_TRANSLATE_NOOP("Actions", "A pause at the caret; drag it longer or click it to type a length."),
        needs="project",
    ),
    action(
        "insert_length",
        QT_TRANSLATE_NOOP("Actions", "&Length of this line"),
        keys="Ctrl+Shift+L",
        icon="fit",
        tip=QT_TRANSLATE_NOOP("Actions", "Say how long this line must last."),
        needs="blocks",
    ),
    action(
        "insert_pronunciation",
        QT_TRANSLATE_NOOP("Actions", "P&ronunciation here"),
        keys="Ctrl+Shift+P",
        icon="voice",
        tip=QT_TRANSLATE_NOOP("Actions", "Say how the selected word is spoken, here only."),
        needs="project",
    ),
    action(
        "make_speech",
        QT_TRANSLATE_NOOP("Actions", "&Speech"),
        keys="Ctrl+0",
        tip=QT_TRANSLATE_NOOP("Actions", "Turn these lines into spoken text."),
        needs="blocks",
    ),
    action(
        "make_chapter", QT_TRANSLATE_NOOP("Actions", "&Chapter heading"), keys="Ctrl+1", icon="chapter", needs="blocks"
    ),
    action("make_scene", QT_TRANSLATE_NOOP("Actions", "Sc&ene heading"), keys="Ctrl+2", needs="blocks"),
    action(
        "make_note",
        QT_TRANSLATE_NOOP("Actions", "&Note"),
        keys="Ctrl+/",
        icon="note",
        tip=QT_TRANSLATE_NOOP("Actions", "A note is never spoken."),
        needs="blocks",
    ),
    *SPEECH_ACTIONS,
    # View
    action(
        "palette",
        QT_TRANSLATE_NOOP("Actions", "&Command palette…"),
        keys="Ctrl+K",
        icon="command",
        tip=QT_TRANSLATE_NOOP("Actions", "Every action by its name."),
    ),
    action("theme_dark", QT_TRANSLATE_NOOP("Actions", "&Dark"), icon="moon", kind="choice", group="theme"),
    action("theme_light", QT_TRANSLATE_NOOP("Actions", "&Light"), icon="sun", kind="choice", group="theme"),
    action("theme_system", QT_TRANSLATE_NOOP("Actions", "As the &system"), kind="choice", group="theme"),
    action("larger_text", QT_TRANSLATE_NOOP("Actions", "&Larger text"), keys="Ctrl+= Ctrl++"),
    action("smaller_text", QT_TRANSLATE_NOOP("Actions", "S&maller text"), keys="Ctrl+-"),
    action(
        "next_region",
        QT_TRANSLATE_NOOP("Actions", "Next &region"),
        keys="F6",
        tip=QT_TRANSLATE_NOOP("Actions", "Give the keyboard to the next part of the window."),
    ),
    action("previous_region", QT_TRANSLATE_NOOP("Actions", "Previous region"), keys="Shift+F6"),
    action("full_screen", QT_TRANSLATE_NOOP("Actions", "&Full screen"), keys="F11", icon="maximize", kind="switch"),
    action("reset_layout", QT_TRANSLATE_NOOP("Actions", "Reset the la&yout")),
    # Tools and help
    action(
        "models",
        QT_TRANSLATE_NOOP("Actions", "&Models…"),
        icon="chip",
        tip=QT_TRANSLATE_NOOP("Actions", "Choose, download and check models and speech servers."),
    ),
    action("shortcuts", QT_TRANSLATE_NOOP("Actions", "&Keyboard shortcuts…"), keys="F1", icon="keyboard"),
    action("about", QT_TRANSLATE_NOOP("Actions", "&About Moss Voice Studio"), icon="info"),
)

BY_ID: dict[str, Action] = {each.id: each for each in ACTIONS}
