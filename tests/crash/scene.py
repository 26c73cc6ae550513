"""A folder with a store, a witness log and a mark of its own: what one test needs to have servers."""

import shutil
import tempfile
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import marked
from documents import Writer
from launchers import end_launcher
from ledger import Ledger, export_text
from servers import Driver, Served
from waiting import await_value

Value = TypeVar("Value")


class Scene:
    """Ends with everything that belongs to it."""

    def __init__(self, binaries: Path) -> None:
        self.binaries = binaries
        # pylint: disable-next=consider-using-with
        self._temporary = tempfile.TemporaryDirectory(prefix="carillon-scene-")
        self.folder = Path(self._temporary.name)
        self.data = self.folder / "data"
        self.log = self.folder / "server.log"
        self.writer = Writer(self.folder / "witness.jsonl", uuid.uuid4().hex)
        self.writer.witness.touch()

    def driver(
        self, *, worker_count: int = 64, lease_seconds: int = 30, prepare: Callable[[], None] | None = None
    ) -> Driver:
        """A driver that is ready."""
        options = {"worker_count": worker_count, "lease_seconds": lease_seconds}
        driver = Driver(self.binaries, self.data, self.log, **options, prepare=prepare)
        assert driver.wait_until_ready(), driver.logged()
        return driver

    def served(self, *arguments: str, prepare: Callable[[], None] | None = None) -> Served:
        """`carillon serve`, ready or not."""
        return Served(self.binaries, self.data, self.log, *arguments, prepare=prepare)

    def export(self) -> str:
        """The ledger as text."""
        return export_text(self.binaries, self.data)

    def ledger(self) -> Ledger:
        """As it is now, whether or not a server is at work."""
        return Ledger.of(self.binaries, self.data)

    def await_ledger(self, look: Callable[[Ledger], Value | None], what: str) -> Value:
        """Reads the ledger until it has what is looked for."""
        return await_value(lambda: look(self.ledger()), what)

    def living(self) -> list[marked.MarkedProcess]:
        """Processes that its commands are or have left."""
        return list(marked.living(self.writer.mark))

    def close(self) -> None:
        """Forgets everything."""
        end_launcher(self.data)
        # Whoever kept a command for a later server clears up by himself, and may be at it.
        await_value(self._is_removed, "nobody writes to the folder any more")
        self._temporary.cleanup()

    def _is_removed(self) -> bool:
        shutil.rmtree(self.folder, ignore_errors=True)
        return not self.folder.exists()

    def __enter__(self) -> "Scene":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
