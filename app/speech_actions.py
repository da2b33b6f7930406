"""The actions on speech: takes of lines, playing, and making what is missing; `app.actions` has all."""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP

from app.action import Action, action

SPEECH_ACTIONS: tuple[Action, ...] = (
    # Takes
    action(
        "again",
        QT_TRANSLATE_NOOP("Actions", "Speak &again"),
        keys="Ctrl+R",
        icon="again",
        tip=QT_TRANSLATE_NOOP("Actions", "Another take of these lines, with the next seed."),
        needs="blocks engine",
    ),
    action(
        "three_takes",
        QT_TRANSLATE_NOOP("Actions", "&Three takes"),
        keys="Ctrl+Shift+R",
        icon="dice",
        tip=QT_TRANSLATE_NOOP("Actions", "Three takes to choose from."),
        needs="blocks engine",
    ),
    action(
        "again_sentences",
        QT_TRANSLATE_NOOP("Actions", "Speak the se&lected sentences again"),
        keys="Ctrl+Alt+R",
        icon="again",
        tip=QT_TRANSLATE_NOOP("Actions", "A take in which only these sentences are new; the rest stays as it is."),
        needs="takes engine",
    ),
    action(
        "next_take",
        QT_TRANSLATE_NOOP("Actions", "N&ext take"),
        keys="Ctrl+]",
        tip=QT_TRANSLATE_NOOP("Actions", "Choose the next take of this line."),
        needs="takes",
    ),
    action(
        "previous_take",
        QT_TRANSLATE_NOOP("Actions", "Pre&vious take"),
        keys="Ctrl+[",
        tip=QT_TRANSLATE_NOOP("Actions", "Choose the take before."),
        needs="takes",
    ),
    action(
        "compare_takes",
        QT_TRANSLATE_NOOP("Actions", "&Compare A/B"),
        keys="Ctrl+B",
        icon="compare",
        tip=QT_TRANSLATE_NOOP("Actions", "Go back and forth between the two takes heard last."),
        needs="two_takes",
    ),
    action("delete_take", QT_TRANSLATE_NOOP("Actions", "&Delete this take"), icon="trash", needs="takes"),
    action(
        "lock",
        QT_TRANSLATE_NOOP("Actions", "&Lock"),
        keys="Ctrl+Shift+K",
        icon="lock",
        tip=QT_TRANSLATE_NOOP("Actions", "A locked line keeps its take when others are made again."),
        needs="blocks",
        kind="switch",
    ),
    action(
        "next_suspicious",
        QT_TRANSLATE_NOOP("Actions", "Next &suspicious line"),
        keys="F8",
        icon="suspicious",
        tip=QT_TRANSLATE_NOOP("Actions", "Go to the next line whose take may be wrong."),
        needs="project",
    ),
    action(
        "previous_suspicious",
        QT_TRANSLATE_NOOP("Actions", "Previous s&uspicious line"),
        keys="Shift+F8",
        needs="project",
    ),
    # Play
    action(
        "play_pause",
        QT_TRANSLATE_NOOP("Actions", "&Play or pause"),
        keys="Ctrl+Return Ctrl+Enter",
        icon="play",
        tip=QT_TRANSLATE_NOOP("Actions", "Speak from the caret."),
        needs="text player",
    ),
    action(
        "play_selection",
        QT_TRANSLATE_NOOP("Actions", "Play the &selection"),
        keys="Ctrl+Shift+Return",
        needs="text blocks player",
    ),
    action(
        "play_from_start",
        QT_TRANSLATE_NOOP("Actions", "Play from the &beginning"),
        keys="Ctrl+Alt+Return",
        needs="text player",
    ),
    action("stop", QT_TRANSLATE_NOOP("Actions", "S&top"), keys="Ctrl+.", icon="stop", needs="player playing"),
    action(
        "previous_block",
        QT_TRANSLATE_NOOP("Actions", "Pre&vious line"),
        keys="Alt+Up",
        icon="previous",
        needs="text player",
    ),
    action("next_block", QT_TRANSLATE_NOOP("Actions", "&Next line"), keys="Alt+Down", icon="next", needs="text player"),
    action(
        "loop",
        QT_TRANSLATE_NOOP("Actions", "&Loop"),
        keys="Ctrl+Shift+O",
        icon="loop",
        tip=QT_TRANSLATE_NOOP("Actions", "Play the selection round and round."),
        needs="player",
        kind="switch",
    ),
    action(
        "export_loudness",
        QT_TRANSLATE_NOOP("Actions", "Play at the e&xport’s loudness"),
        icon="volume",
        tip=QT_TRANSLATE_NOOP("Actions", "Hear the script with the gain and the limiter of the export."),
        needs="player",
        kind="switch",
    ),
    action(
        "record_voice",
        QT_TRANSLATE_NOOP("Actions", "&Record a voice…"),
        icon="record",
        tip=QT_TRANSLATE_NOOP("Actions", "Make a voice with the microphone."),
    ),
    action(
        "add_voice",
        QT_TRANSLATE_NOOP("Actions", "&Add a voice from a file…"),
        icon="voice",
        tip=QT_TRANSLATE_NOOP("Actions", "A clip of a few seconds, without music or noise."),
    ),
    # Render
    action(
        "render_stale",
        QT_TRANSLATE_NOOP("Actions", "Make what is &missing"),
        keys="F9",
        icon="queue",
        tip=QT_TRANSLATE_NOOP("Actions", "Speak every line that has no take of its present text."),
        needs="text engine",
    ),
    action(
        "render_selection", QT_TRANSLATE_NOOP("Actions", "Make the &selection"), keys="Shift+F9", needs="blocks engine"
    ),
    action("render_chapter", QT_TRANSLATE_NOOP("Actions", "Make this &chapter"), needs="blocks engine"),
    action(
        "pause_making",
        QT_TRANSLATE_NOOP("Actions", "Pa&use making"),
        keys="Ctrl+F9",
        icon="pause",
        tip=QT_TRANSLATE_NOOP("Actions", "Start nothing more that nobody listens to; what waits stays in the queue."),
        needs="engine",
        kind="switch",
    ),
    action(
        "cancel_making",
        QT_TRANSLATE_NOOP("Actions", "&Stop making"),
        keys="Ctrl+Shift+.",
        icon="close",
        tip=QT_TRANSLATE_NOOP("Actions", "Cancel everything that waits or is being spoken."),
        needs="making",
    ),
)
