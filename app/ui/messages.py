"""Messages of the services and the engine, which know no translation, in the language of the window."""

from __future__ import annotations

import re
from functools import lru_cache

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from app.ui.import_messages import IMPORT_MESSAGES
from app.ui.language_names import shown_languages
from app.ui.model_messages import MODEL_MESSAGES

# As they are written there, with %1, %2 … for what is put in. A message may be several of these in a row.
MESSAGES: tuple[str, ...] = (
    QT_TRANSLATE_NOOP("Messages", "%1 s is longer than the %2 s this model takes."),
    QT_TRANSLATE_NOOP("Messages", "Starting"),
    QT_TRANSLATE_NOOP("Messages", "Loading the language model"),
    QT_TRANSLATE_NOOP("Messages", "Loading the codec"),
    QT_TRANSLATE_NOOP("Messages", "Preparing the kernels"),
    QT_TRANSLATE_NOOP("Messages", "Compiling the kernels"),
    QT_TRANSLATE_NOOP("Messages", "Capturing the graphs of frames and prompts"),
    QT_TRANSLATE_NOOP("Messages", "Capturing the codec graphs"),
    QT_TRANSLATE_NOOP("Messages", "Speech at %1 dBFS"),
    QT_TRANSLATE_NOOP(
        "Messages",
        "Badly clipped: %1 % of it. Rounding the peaks helps a little; recording again more.",
    ),
    QT_TRANSLATE_NOOP("Messages", "Cut silence at the ends."),
    QT_TRANSLATE_NOOP("Messages", "Speech %1 % of the time"),
    QT_TRANSLATE_NOOP("Messages", "Silence at the ends was cut."),
    QT_TRANSLATE_NOOP("Messages", "It was cut to %1 s, at a pause."),
    QT_TRANSLATE_NOOP("Messages", "The level was changed by %1 dB."),
    QT_TRANSLATE_NOOP("Messages", "%1 s is too short. Use 6 to 20 s of one person speaking."),
    QT_TRANSLATE_NOOP("Messages", "Cut it at a pause."),
    QT_TRANSLATE_NOOP("Messages", "%1 s is short; 6 to 20 s give a steadier voice."),
    QT_TRANSLATE_NOOP("Messages", "The clip is silent."),
    QT_TRANSLATE_NOOP("Messages", "Very quiet: speech is at %1 dBFS."),
    QT_TRANSLATE_NOOP("Messages", "Raise the level."),
    QT_TRANSLATE_NOOP("Messages", "Very loud: speech is at %1 dBFS."),
    QT_TRANSLATE_NOOP("Messages", "Lower the level."),
    QT_TRANSLATE_NOOP("Messages", "Round the clipped peaks."),
    QT_TRANSLATE_NOOP("Messages", "Some peaks are clipped."),
    QT_TRANSLATE_NOOP("Messages", "There is no pause in which noise could be measured."),
    QT_TRANSLATE_NOOP("Messages", "Noisy: only %1 dB between speech and background. Record in a quieter room."),
    QT_TRANSLATE_NOOP("Messages", "Some background noise: %1 dB below speech."),
    QT_TRANSLATE_NOOP("Messages", "Quiet background, %1 dB below speech"),
    QT_TRANSLATE_NOOP("Messages", "No background noise"),
    QT_TRANSLATE_NOOP("Messages", "Not clipped"),
    QT_TRANSLATE_NOOP("Messages", "Hardly any speech: %1 % of the time."),
    QT_TRANSLATE_NOOP("Messages", "Speech is %1 % of the clip."),
    QT_TRANSLATE_NOOP("Messages", "Clipped peaks were rounded."),
    QT_TRANSLATE_NOOP("Messages", "%1 has only %2 s of sound."),
    QT_TRANSLATE_NOOP("Messages", "%1 is silent."),
    QT_TRANSLATE_NOOP("Messages", "Check the recording level, or choose another clip."),
    QT_TRANSLATE_NOOP("Messages", "A voice needs at least 0.5 s; 5 to 20 s are best."),
    QT_TRANSLATE_NOOP("Messages", "%1 is %2 s long; at most %3 s can be used."),
    QT_TRANSLATE_NOOP("Messages", "Choose a part of 5 to 20 s of it."),
    QT_TRANSLATE_NOOP("Messages", "The clip is empty."),
    QT_TRANSLATE_NOOP("Messages", "Choose another clip, or another part of it."),
    QT_TRANSLATE_NOOP("Messages", "The clip is damaged: it holds values that are no numbers."),
    QT_TRANSLATE_NOOP("Messages", "Record it again."),
    QT_TRANSLATE_NOOP("Messages", "%1 was off centre (a constant offset); that was taken away."),
    QT_TRANSLATE_NOOP("Messages", "%1 is too quiet to hear a voice in it."),
    QT_TRANSLATE_NOOP("Messages", "Record it again, nearer to the microphone."),
    QT_TRANSLATE_NOOP("Messages", "%1 s of silence at the ends of %2 were left out."),
    QT_TRANSLATE_NOOP("Messages", "%1 is clipped; the voice may sound harsh. Record it at a lower level."),
    QT_TRANSLATE_NOOP(
        "Messages",
        "%1 is very quiet (%2 dBFS) and is raised by 3 dB only; the voice may sound "
        "weak. Record it again at a higher level.",
    ),
    QT_TRANSLATE_NOOP("Messages", "%1 seems noisy; the noise may stay in the voice. Use a cleaner one."),
    QT_TRANSLATE_NOOP("Messages", "%1 breaks off: of %2 s only %3 s are there. Copy it again if the rest is wanted."),
    QT_TRANSLATE_NOOP("Messages", "The clip %1 cannot be read (%2)."),
    QT_TRANSLATE_NOOP("Messages", "Check that the file is there."),
    QT_TRANSLATE_NOOP("Messages", "%1 has %2 channels; the first two were used."),
    QT_TRANSLATE_NOOP("Messages", "%1 has %2 channels; they were mixed into one."),
    QT_TRANSLATE_NOOP(
        "Messages",
        "Several numbers in one sentence may be read wrong by this model: write them as words.",
    ),
    QT_TRANSLATE_NOOP("Messages", "A block has one length; the last one counts (%1 s). Remove the others."),
    QT_TRANSLATE_NOOP(
        "Messages",
        "%1 longer than the %2 s this model speaks at once, and cut inside. Write shorter sentences.",
    ),
    QT_TRANSLATE_NOOP(
        "Messages",
        "A run of characters without a space is longer than %1 s and cut anywhere. Put spaces into it.",
    ),
    QT_TRANSLATE_NOOP("Messages", "A sentence is"),
    QT_TRANSLATE_NOOP("Messages", "%1 sentences are"),
    QT_TRANSLATE_NOOP("Messages", "There is nothing here that can be spoken: write some words."),
    QT_TRANSLATE_NOOP("Messages", "This model's own pauses go in steps: %1 s is spoken as %2 s."),
    QT_TRANSLATE_NOOP("Messages", "A pause lasts at most %1 seconds; this one is spoken as %2 s."),
    QT_TRANSLATE_NOOP("Messages", "A block lasts at most %1 seconds; the length is taken as that."),
    QT_TRANSLATE_NOOP("Messages", "“%1” is only half a tag and is not spoken. Write %2."),
    QT_TRANSLATE_NOOP("Messages", "A length must be more than 0 seconds: write [length 4.0s]."),
    QT_TRANSLATE_NOOP("Messages", " and %1 more"),
    QT_TRANSLATE_NOOP("Messages", "Write it in plain English letters, or choose a model that reads it."),
    QT_TRANSLATE_NOOP("Messages", "Remove or retype it."),
    QT_TRANSLATE_NOOP("Messages", "%1 cannot read %2%3: left out. %4"),
    QT_TRANSLATE_NOOP(
        "Messages",
        "“%1” speaks only with the voices that come with it and cannot clone “%2”. "
        "A model that clones can, such as MOSS-TTS-Local v1.5.",
    ),
    QT_TRANSLATE_NOOP("Messages", "“%1” has one voice of its own and cannot speak as “%2”."),
    QT_TRANSLATE_NOOP("Messages", "The voice of this line is not here any more."),
    QT_TRANSLATE_NOOP("Messages", "Give the line another voice, or bring the voice back from the trash."),
    QT_TRANSLATE_NOOP("Messages", "Choose another voice for the line, or another model."),
    QT_TRANSLATE_NOOP("Messages", "The clip of “%1” is not here."),
    QT_TRANSLATE_NOOP("Messages", "Add the clip to the voice again."),
    QT_TRANSLATE_NOOP("Messages", "“%1” speaks only in the voice of a clip."),
    QT_TRANSLATE_NOOP("Messages", "Give the line a voice first."),
    QT_TRANSLATE_NOOP("Messages", "a wanted length"),
    QT_TRANSLATE_NOOP("Messages", "a sound event"),
    QT_TRANSLATE_NOOP("Messages", "an ambient sound"),
    QT_TRANSLATE_NOOP("Messages", "There is nothing to speak."),
    QT_TRANSLATE_NOOP("Messages", "Type some text first."),
    QT_TRANSLATE_NOOP("Messages", "The seed %1 is not between 0 and 2^63-1."),
    QT_TRANSLATE_NOOP("Messages", "%1 frames cannot be spoken."),
    QT_TRANSLATE_NOOP("Messages", "Choose 1 to %1 frames of 80 ms."),
    QT_TRANSLATE_NOOP("Messages", "Choose another seed."),
    QT_TRANSLATE_NOOP("Messages", "“%1” speaks %2, not %3."),
    QT_TRANSLATE_NOOP("Messages", "Choose one of its languages, or another model."),
    QT_TRANSLATE_NOOP("Messages", "“%1” has one voice and takes no clips."),
    QT_TRANSLATE_NOOP("Messages", "Choose a model that clones voices."),
    QT_TRANSLATE_NOOP("Messages", "Choose a voice first."),
    QT_TRANSLATE_NOOP("Messages", "“%1” cannot go on from other audio."),
    QT_TRANSLATE_NOOP("Messages", "Choose a model that continues, such as MOSS-TTS-Local v1.5."),
    QT_TRANSLATE_NOOP("Messages", "“%1” does not follow %2; it was left out."),
    QT_TRANSLATE_NOOP(
        "Messages",
        "Speaking was ended before the text was: it took far longer than the text should. Speak it again.",
    ),
    QT_TRANSLATE_NOOP("Messages", "The voice ran away: silence or repetition without end. Speak the line again."),
    QT_TRANSLATE_NOOP(
        "Messages",
        "The voice stopped far too early for this text; words are missing. Speak the line again.",
    ),
    QT_TRANSLATE_NOOP("Messages", "Speaking was stopped before the end. Speak the line again."),
    QT_TRANSLATE_NOOP("Messages", "Speaking broke off before the end. Speak the line again."),
    QT_TRANSLATE_NOOP("Messages", "The studio ended while this was being spoken. Speak the line again."),
    QT_TRANSLATE_NOOP("Messages", "No graphics card that can run it"),
    QT_TRANSLATE_NOOP("Messages", "%1 has %2 GB; it takes %3"),
    QT_TRANSLATE_NOOP(
        "Messages",
        "%1, and the processor has %2 GB of memory of the %3 GB it takes. Use a speech server for it.",
    ),
    QT_TRANSLATE_NOOP("Messages", "Runs on %1 (%2 GB)."),
    QT_TRANSLATE_NOOP("Messages", "%1. On the processor it takes about %2 s for a second of speech."),
    QT_TRANSLATE_NOOP("Messages", "The line “%1” was not spoken yet."),
    QT_TRANSLATE_NOOP("Messages", "Render it, or leave it out."),
    QT_TRANSLATE_NOOP(
        "Messages",
        "Clones any voice from a short clip, speaks 31 languages, follows lengths and instructions; 48 kHz stereo.",
    ),
    QT_TRANSLATE_NOOP("Messages", "This take is not complete."),
    QT_TRANSLATE_NOOP("Messages", "There is nothing in this line that can be spoken. Write some words."),
    QT_TRANSLATE_NOOP("Messages", "The line could not be spoken (%1: %2)."),
    QT_TRANSLATE_NOOP("Messages", "The sentences could not be spoken (%1: %2)."),
    QT_TRANSLATE_NOOP("Messages", "Nothing was spoken. Try it again."),
    QT_TRANSLATE_NOOP("Messages", "%1 GB of memory, %2 GB of it free."),
    QT_TRANSLATE_NOOP("Messages", "%1 is not used: %2 servers are kept, and it is the key of one."),
    QT_TRANSLATE_NOOP(
        "Messages",
        "Install PySide6-Essentials and the system's libegl1, libgl1, libxkbcommon0 and libxcb-cursor0.",
    ),
    QT_TRANSLATE_NOOP("Messages", "The starter model lacks %1."),
    QT_TRANSLATE_NOOP("Messages", "Install the studio again."),
    QT_TRANSLATE_NOOP("Messages", "The starter model and its %1 voices are there."),
    QT_TRANSLATE_NOOP("Messages", "The starter takes up to %1 GB: close other programs."),
    QT_TRANSLATE_NOOP("Messages", "One processor core."),
    QT_TRANSLATE_NOOP("Messages", "Speech may be slower than it is played."),
    QT_TRANSLATE_NOOP("Messages", "%1 processor cores."),
    QT_TRANSLATE_NOOP("Messages", "numba is not installed: speech is made several times slower."),
    QT_TRANSLATE_NOOP("Messages", "libsndfile does not write %1."),
    QT_TRANSLATE_NOOP("Messages", "Update the soundfile package."),
    QT_TRANSLATE_NOOP("Messages", "wav, flac, mp3, ogg and opus can be written."),
    QT_TRANSLATE_NOOP("Messages", "m4a and video files can be read."),
    QT_TRANSLATE_NOOP("Messages", "There is no microphone."),
    QT_TRANSLATE_NOOP("Messages", "Voices can be made from files."),
    QT_TRANSLATE_NOOP("Messages", "%1 devices to play through."),
    QT_TRANSLATE_NOOP("Messages", "There is no device to play through."),
    QT_TRANSLATE_NOOP("Messages", "Files can be made all the same."),
    QT_TRANSLATE_NOOP("Messages", "GPU %1: driver %2, %3 free."),
    QT_TRANSLATE_NOOP("Messages", "Choose another under Models & Servers."),
    QT_TRANSLATE_NOOP("Messages", "Only the starter is installed: it knows five voices."),
    QT_TRANSLATE_NOOP("Messages", "The full-size model clones any voice."),
    QT_TRANSLATE_NOOP("Messages", "Given up for it: %1."),
    QT_TRANSLATE_NOOP("Messages", "The GPU is too old or too new for this build of torch."),
    QT_TRANSLATE_NOOP("Messages", "Install a build made for it."),
    QT_TRANSLATE_NOOP("Messages", "m4a and video files cannot be read (%1)."),
    QT_TRANSLATE_NOOP("Messages", "Nothing can be played (%1)."),
    QT_TRANSLATE_NOOP("Messages", "Install PortAudio (libportaudio2)."),
    QT_TRANSLATE_NOOP("Messages", "“%1” answers (%2)."),
    QT_TRANSLATE_NOOP("Messages", "The NVIDIA driver does not answer (%1)."),
    QT_TRANSLATE_NOOP("Messages", "Install it again."),
    QT_TRANSLATE_NOOP("Messages", "%1 may not be written."),
    QT_TRANSLATE_NOOP("Messages", "“%1” is damaged: %2"),
    QT_TRANSLATE_NOOP("Messages", "Open Models and repair or forget it."),
    QT_TRANSLATE_NOOP("Messages", "%1: too small for the full-size model."),
    QT_TRANSLATE_NOOP("Messages", "There is an NVIDIA driver, but this torch is built for the CPU."),
    QT_TRANSLATE_NOOP("Messages", "Install torch with CUDA."),
    QT_TRANSLATE_NOOP("Messages", "No CUDA GPU: the starter speaks on the processor."),
    QT_TRANSLATE_NOOP("Messages", "Use a speech server for larger models."),
    QT_TRANSLATE_NOOP("Messages", "%1: only %2 GB are free at %3."),
    QT_TRANSLATE_NOOP("Messages", "Free some space."),
    QT_TRANSLATE_NOOP("Messages", "The download of “%1” is not finished."),
    QT_TRANSLATE_NOOP("Messages", "Go on with it under Models."),
    QT_TRANSLATE_NOOP("Messages", "%1: runs the full-size model: %2."),
    QT_TRANSLATE_NOOP("Messages", "“%1” does not play: it was unplugged, or another program holds it."),
    QT_TRANSLATE_NOOP("Messages", "Plug it in again, or choose another output in Preferences > Sound."),
    QT_TRANSLATE_NOOP("Messages", "No microphone was found."),
    QT_TRANSLATE_NOOP("Messages", "Plug one in, or drop a sound file instead."),
    QT_TRANSLATE_NOOP("Messages", "“%1” cannot record: it was unplugged, or another program holds it."),
    QT_TRANSLATE_NOOP("Messages", "Plug it in again, or choose another microphone in Preferences > Sound."),
    QT_TRANSLATE_NOOP(
        "Messages",
        "Sound is off: the PortAudio library could not be loaded (%1). Install "
        "libportaudio2 and start the studio again. Everything but hearing works.",
    ),
    QT_TRANSLATE_NOOP("Messages", "The disk is full: changes to %1 cannot be saved."),
    QT_TRANSLATE_NOOP("Messages", "Free some space; saving goes on by itself. Or save the project to another disk."),
    QT_TRANSLATE_NOOP("Messages", "%1 can no longer be written."),
    QT_TRANSLATE_NOOP(
        "Messages",
        "Allow writing to the file and its folder; saving goes on by itself. Or save the project elsewhere.",
    ),
    QT_TRANSLATE_NOOP("Messages", "The drive with %1 does not answer."),
    QT_TRANSLATE_NOOP("Messages", "Connect the drive again; saving goes on by itself. Or save the project elsewhere."),
    QT_TRANSLATE_NOOP("Messages", "Another program keeps %1 from being saved."),
    QT_TRANSLATE_NOOP("Messages", "Close the program that uses the file; saving goes on by itself."),
    QT_TRANSLATE_NOOP("Messages", "%1 was damaged by something else while it was open."),
    QT_TRANSLATE_NOOP("Messages", "Save the project under another name now; what you did since is kept."),
    QT_TRANSLATE_NOOP("Messages", "Too much audio waits to be saved; no more is made until %1 can be written again."),
    QT_TRANSLATE_NOOP("Messages", "Free some space or save the project to another disk."),
    QT_TRANSLATE_NOOP("Messages", "%1 could not be copied to the network."),
    QT_TRANSLATE_NOOP("Messages", "The project was closed."),
    QT_TRANSLATE_NOOP("Messages", "%1 was closed."),
    QT_TRANSLATE_NOOP("Messages", "Open it and try again."),
    QT_TRANSLATE_NOOP("Messages", "%1 cannot be compacted now (%2)."),
    QT_TRANSLATE_NOOP("Messages", "Nothing was changed; try again later."),
    QT_TRANSLATE_NOOP("Messages", "Your work is safe on this computer and is copied as soon as the network answers."),
    QT_TRANSLATE_NOOP("Messages", "Saving %1 takes long: its drive is slow to answer."),
    QT_TRANSLATE_NOOP(
        "Messages",
        "Go on, but leave the drive connected until it is saved. If it stays so, save the project to another disk.",
    ),
    QT_TRANSLATE_NOOP("Messages", "Changes to %1 cannot be saved (%2)."),
    QT_TRANSLATE_NOOP("Messages", "Save the project under another name."),
    QT_TRANSLATE_NOOP("Messages", "in another window"),
    QT_TRANSLATE_NOOP("Messages", "%1 is open %2."),
    QT_TRANSLATE_NOOP("Messages", "Close it there, or open it here read-only: then nothing can be lost."),
    QT_TRANSLATE_NOOP("Messages", "in another window of this computer (process %1)"),
    QT_TRANSLATE_NOOP("Messages", "by %1 on %2"),
    QT_TRANSLATE_NOOP(
        "Messages",
        "Choose a WAV, FLAC, MP3, Ogg, Opus, M4A or video file, or save the clip again as WAV.",
    ),
    QT_TRANSLATE_NOOP("Messages", "%1 %2; at most %3 s can be used."),
    QT_TRANSLATE_NOOP("Messages", "There is no sound in %1, or none in the chosen part."),
    QT_TRANSLATE_NOOP("Messages", "is %1 s long"),
    QT_TRANSLATE_NOOP("Messages", "is longer than %1 s"),
    QT_TRANSLATE_NOOP("Messages", "%1 cannot be read as audio (%2)."),
    QT_TRANSLATE_NOOP("Messages", "%1 is empty."),
    QT_TRANSLATE_NOOP("Messages", "Record or copy it again."),
    QT_TRANSLATE_NOOP("Messages", "Choose another part or clip."),
    QT_TRANSLATE_NOOP("Messages", "%1 is damaged: it holds values that are no numbers."),
    QT_TRANSLATE_NOOP("Messages", "Save it again as 24-bit WAV."),
    QT_TRANSLATE_NOOP("Messages", "The chosen part of %1 (%2 s to %3 s) is none."),
    QT_TRANSLATE_NOOP("Messages", "Its start must lie at 0 s or later, and its end after its start."),
    QT_TRANSLATE_NOOP("Messages", "%1 holds too much data for a clip."),
    QT_TRANSLATE_NOOP("Messages", "Save it at 48 kHz with one or two channels."),
    QT_TRANSLATE_NOOP("Messages", "%1 is not a file."),
    QT_TRANSLATE_NOOP("Messages", "Choose an audio file."),
    QT_TRANSLATE_NOOP("Messages", "There is no sound in %1."),
    QT_TRANSLATE_NOOP("Messages", "Choose a file that has a sound track."),
    QT_TRANSLATE_NOOP("Messages", "Nothing of this choice is spoken, so there is nothing to export."),
    QT_TRANSLATE_NOOP("Messages", "Choose other lines."),
    QT_TRANSLATE_NOOP("Messages", "%1 is a folder."),
    QT_TRANSLATE_NOOP("Messages", "Choose another name."),
    QT_TRANSLATE_NOOP("Messages", "The export needs about %1 MB, and %2 has %3 MB left."),
    QT_TRANSLATE_NOOP("Messages", "Free some space or choose another folder."),
    QT_TRANSLATE_NOOP(
        "Messages",
        "The speech ended before the text can have been spoken. Listen to it, or speak it again.",
    ),
    QT_TRANSLATE_NOOP("Messages", "Speak it again with another seed."),
    QT_TRANSLATE_NOOP("Messages", "Speak it again."),
    QT_TRANSLATE_NOOP("Messages", "%1; it was ended there. %2"),
    QT_TRANSLATE_NOOP("Messages", "The model fell silent for %1 s"),
    QT_TRANSLATE_NOOP("Messages", "The model repeated the same sound over and over"),
    QT_TRANSLATE_NOOP("Messages", "About %1 s were expected, %2 s were spoken"),
    QT_TRANSLATE_NOOP("Messages", "There is no display."),
    QT_TRANSLATE_NOOP("Messages", "Use the commands, or log in to a desktop."),
    QT_TRANSLATE_NOOP("Messages", "The window can open."),
    QT_TRANSLATE_NOOP("Messages", "The window cannot open (%1)."),
    QT_TRANSLATE_NOOP("Messages", "There is no server “%1”."),
    QT_TRANSLATE_NOOP("Messages", "Kept are: %1."),
    QT_TRANSLATE_NOOP("Messages", "Name the server with --server."),
    QT_TRANSLATE_NOOP("Messages", "Choose another with --profile."),
    *IMPORT_MESSAGES,
    *MODEL_MESSAGES,
    QT_TRANSLATE_NOOP(
        "Messages",
        "No output was found: the playhead moves, but nothing can be heard. Plug in headphones or speakers.",
    ),
    QT_TRANSLATE_NOOP("Messages", "The output is back. Press play to go on from where you were."),
    QT_TRANSLATE_NOOP("Messages", "The output is back; playing goes on from where you were."),
    QT_TRANSLATE_NOOP("Messages", "%1 does not answer any more."),
    QT_TRANSLATE_NOOP("Messages", "Press play to go on."),
    QT_TRANSLATE_NOOP("Messages", "A voice needs a name."),
    QT_TRANSLATE_NOOP("Messages", "Add its clip under a name of your own."),
    QT_TRANSLATE_NOOP("Messages", "Ask for the file again."),
    QT_TRANSLATE_NOOP("Messages", "%1 lacks the clip %2."),
    QT_TRANSLATE_NOOP("Messages", "%1 does not look like audio or video."),
    QT_TRANSLATE_NOOP("Messages", "Choose another voice, or add it again."),
    QT_TRANSLATE_NOOP("Messages", "Import it from a .mvoice file."),
    QT_TRANSLATE_NOOP("Messages", "Nothing needs to be done."),
    QT_TRANSLATE_NOOP("Messages", "The clip of the voice “%1” is gone: %2."),
    QT_TRANSLATE_NOOP("Messages", "The voice in %1 cannot be read (%2). Import it again from a .mvoice file."),
    QT_TRANSLATE_NOOP("Messages", "The voice “%1” is already in the library."),
    QT_TRANSLATE_NOOP("Messages", "There are: %1."),
    QT_TRANSLATE_NOOP("Messages", "There is already a voice called “%1”."),
    QT_TRANSLATE_NOOP("Messages", "There is no voice or clip “%1”."),
    QT_TRANSLATE_NOOP("Messages", "This voice is no longer in the trash."),
    QT_TRANSLATE_NOOP("Messages", "This voice is not in the library."),
    QT_TRANSLATE_NOOP("Messages", "Type one, for instance the speaker's."),
    QT_TRANSLATE_NOOP("Messages", "A clip in %1 is larger than a clip may be (%2 MiB)."),
    QT_TRANSLATE_NOOP("Messages", "The record in %1 cannot be read (%2)."),
    QT_TRANSLATE_NOOP("Messages", "The record in %1 is too large."),
    QT_TRANSLATE_NOOP("Messages", "Check free space and permissions, then try again."),
    QT_TRANSLATE_NOOP("Messages", "Check the path."),
    QT_TRANSLATE_NOOP("Messages", "Give a wav, flac, mp3, ogg, opus, m4a or video file."),
    QT_TRANSLATE_NOOP("Messages", "The voice must have at least one clip, each of them audio."),
    QT_TRANSLATE_NOOP("Messages", "Choose another name, or open it."),
    QT_TRANSLATE_NOOP("Messages", "Choose another project."),
    QT_TRANSLATE_NOOP("Messages", "Open it for writing once, to bring it up to date."),
    QT_TRANSLATE_NOOP("Messages", "Open it for writing: what is whole is read, and a copy is kept."),
    QT_TRANSLATE_NOOP("Messages", "Open it in the background."),
    QT_TRANSLATE_NOOP("Messages", "The file as it was is kept as %1."),
    QT_TRANSLATE_NOOP("Messages", "There is no file %1."),
    QT_TRANSLATE_NOOP("Messages", "Try again, or open a copy of it."),
    QT_TRANSLATE_NOOP("Messages", "Save it on another drive."),
    QT_TRANSLATE_NOOP("Messages", "Save it under another name to change it."),
    QT_TRANSLATE_NOOP("Messages", "Installed: %1. A folder with a model can be given as well."),
    QT_TRANSLATE_NOOP("Messages", "There is no model “%1”."),
    QT_TRANSLATE_NOOP("Messages", "Render them, or leave them out (--skip, or the switch in the export window)."),
    QT_TRANSLATE_NOOP("Messages", "Check the disk and try again, or choose another folder."),
    QT_TRANSLATE_NOOP("Messages", "Check the disk, then export again."),
    QT_TRANSLATE_NOOP("Messages", "Choose a shorter one."),
    QT_TRANSLATE_NOOP("Messages", "The folder %1 is not there (any more), or is no folder."),
    QT_TRANSLATE_NOOP("Messages", "The name %1 is too long for this disk."),
    QT_TRANSLATE_NOOP("Messages", "There is no room left in %1 for %2."),
    QT_TRANSLATE_NOOP("Messages", "Speak shorter pieces, close other programs, or choose a smaller model."),
    QT_TRANSLATE_NOOP("Messages", "The engine met an error of its own (%1: %2)."),
    QT_TRANSLATE_NOOP("Messages", "There was not enough memory."),
    QT_TRANSLATE_NOOP("Messages", "Open a model again."),
    QT_TRANSLATE_NOOP("Messages", "The engine was closed before the speech was finished."),
    QT_TRANSLATE_NOOP("Messages", "The engine was closed."),
    QT_TRANSLATE_NOOP("Messages", "Choose a shorter part of it."),
    QT_TRANSLATE_NOOP("Messages", "Choose one of them, or a model that clones any voice: MOSS-TTS-Local v1.5."),
    QT_TRANSLATE_NOOP("Messages", "Encode the clip again."),
    QT_TRANSLATE_NOOP("Messages", "The clip is %1 s long; “%2” takes at most %3 s."),
    QT_TRANSLATE_NOOP("Messages", "The clip's codes do not fit this model (%1)."),
)

_LONGEST = 2_000  # characters: what is longer is no message but somebody's text
_SPACE = re.compile(r"(?<=[.!?:…])\s+")


def local(message: str) -> str:
    """A message in the language of the window; what has no translation stays as it is.

    What was put into a message is looked up as well, since parts of messages are put into others.
    """
    if not message or len(message) > _LONGEST or _is_english():
        return message
    parts, rest, known = [], message.strip(), False
    while rest:
        found = next((match for pattern, _ in _patterns() if (match := pattern.match(rest))), None)
        if found is None:
            own, *more = _SPACE.split(rest, maxsplit=1)
            parts.append(own)
            rest = more[0] if more else ""
            continue
        known = True
        source = _SOURCES[found.re]
        words = QCoreApplication.translate("Messages", source)
        for number, value in enumerate(found.groups(), 1):
            own = shown_languages(value) or (local(value) if value != message else value)
            words = words.replace(f"%{number}", own)
        parts.append(words)
        rest = rest[found.end() :].lstrip()
    if not known:
        return message
    return "".join(parts) if all(_ends_wide(part) for part in parts[:-1]) else " ".join(parts)


def _is_english() -> bool:
    first = MESSAGES[0]
    return QCoreApplication.translate("Messages", first) == first


def _ends_wide(text: str) -> bool:
    """Marks of Chinese bring their own space."""
    return text[-1:] in "。！？：；"


_SOURCES: dict[re.Pattern[str], str] = {}


@lru_cache(maxsize=1)
def _patterns() -> tuple[tuple[re.Pattern[str], int], ...]:
    """The messages as patterns, those with the most words first: they say the most."""
    made = []
    for source in MESSAGES:
        pieces = re.split(r"%\d", source)
        pattern = "(.+?)".join(map(re.escape, pieces))
        # What ends with something put in reaches to the end, so that none of it is left over.
        compiled = re.compile(pattern + (r"\Z" if not pieces[-1] else r"(?=\s|\Z)"), re.DOTALL)
        _SOURCES[compiled] = source
        made.append((compiled, len("".join(pieces))))
    return tuple(sorted(made, key=lambda each: -each[1]))
