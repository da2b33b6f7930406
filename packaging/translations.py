"""Updates `resources/translations`: new strings of the window go into the .ts files, and these become .qm files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import PySide6

ROOT = Path(__file__).resolve().parent.parent
TOOLS = Path(PySide6.__file__).parent
FOLDER = ROOT / "resources" / "translations"
LANGUAGES = ("zh_CN",)


def main() -> int:
    sources = [str(path) for path in sorted((ROOT / "app" / "ui").rglob("*.py"))]
    sources += [str(path) for path in sorted((ROOT / "app").glob("*.py"))]
    for language in LANGUAGES:
        file = FOLDER / f"studio_{language}.ts"
        subprocess.run(
            [
                str(TOOLS / "lupdate"),
                "-locations",
                "none",
                "-no-obsolete",
                "-target-language",
                language,
                *sources,
                "-ts",
                str(file),
            ],
            check=True,
        )
        subprocess.run([str(TOOLS / "lrelease"), str(file)], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
