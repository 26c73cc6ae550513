"""Takes the commands out of a block."""

import subprocess
from dataclasses import dataclass


@dataclass
class Command:
    """A command, and what the page says it prints; none if it says nothing."""

    text: str
    shown: str | None = None


def is_whole(text: str) -> bool:
    """Whether a shell would begin to work on it. An open here-document is only warned about."""
    looked = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True, check=False)
    return looked.returncode == 0 and "here-document" not in looked.stderr and not text.rstrip("\n").endswith("\\")


def is_nothing(text: str) -> bool:
    """Blank, or a remark."""
    return all(not line.strip() or line.lstrip().startswith("#") for line in text.splitlines())


def of_script(block: str) -> list[Command]:
    """The commands of a ```sh block."""
    found, text = [], ""
    for line in block.splitlines(keepends=True):
        text += line
        if not is_whole(text):
            continue
        if not is_nothing(text):
            found.append(Command(text))
        text = ""
    if text.strip():
        raise AssertionError(f"not a whole command:\n{text}")
    return found


def of_session(block: str) -> list[Command]:
    """The commands of a ```console block: lines behind `$ `, their further lines behind `> `, then what is printed."""
    found: list[Command] = []
    for line in block.splitlines(keepends=True):
        if line.startswith("$ "):
            found.append(Command(line[2:], ""))
        elif not found:
            raise AssertionError("a console block begins with a line behind `$ `")
        elif not found[-1].shown and line.startswith("> ") and not is_whole(found[-1].text):
            found[-1].text += line[2:]
        else:
            found[-1].shown = (found[-1].shown or "") + line
    for command in found:
        if not (command.shown or "").strip():
            command.shown = None
    return found
