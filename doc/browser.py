"""A headless Chromium, driven by its DevTools protocol over a pipe: no library, no port."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"]
FLAGS = [
    "--headless=new",
    "--remote-debugging-pipe",
    "--no-sandbox",  # which root does not have, as in a container
    "--no-first-run",
    "--disable-gpu",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-dev-shm-usage",
    "--force-color-profile=srgb",
    "--host-resolver-rules=MAP * ~NOTFOUND",  # what a page asks for is reported, never fetched
]


def find_browser() -> str | None:
    """The path of a browser that is installed, if there is one."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Tab:
    """One page of the browser: send it commands, and read the events that it reports."""

    def __init__(self, commands: int, answers: int) -> None:
        self.commands, self.answers = commands, answers
        self.received, self.last_id, self.session = b"", 0, None
        self.events: list[dict[str, Any]] = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        attached = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ["Page", "Network", "Runtime", "Log"]:
            self.send(f"{domain}.enable")

    def _receive(self, deadline: float) -> dict[str, Any]:
        """Return the next message. Messages end with a null byte."""
        while b"\0" not in self.received:
            ready, _, _ = select.select(
                [self.answers], [], [], max(0, deadline - time.monotonic())
            )
            part = os.read(self.answers, 1 << 20) if ready else b""
            if not part:
                raise TimeoutError("the browser does not answer")
            self.received += part
        message, _, self.received = self.received.partition(b"\0")
        return dict(json.loads(message))

    def send(self, method: str, **params: object) -> dict[str, Any]:
        """Send a command, wait for its answer, and keep the events that come before it."""
        self.last_id += 1
        command: dict[str, Any] = {"id": self.last_id, "method": method, "params": params}
        if self.session is not None:
            command["sessionId"] = self.session
        os.write(self.commands, json.dumps(command).encode() + b"\0")
        deadline = time.monotonic() + 60
        while True:
            message = self._receive(deadline)
            if message.get("id") == self.last_id:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return dict(message["result"])
            if "method" in message:
                self.events.append(message)

    def open(self, url: str) -> None:
        """Go to an address, and wait until the page is loaded."""
        self.send("Page.navigate", url=url)
        deadline = time.monotonic() + 60
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self.events.append(self._receive(deadline))

    def run(self, script: str) -> Any:
        """Return the value of an expression of JavaScript, which may be a promise."""
        answer = self.send(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"].get("description", script))
        return answer["result"].get("value")

    def look(self, *, width: int, height: int = 900, dark: bool) -> None:
        """Set the size of the window, and whether the reader prefers dark pages."""
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])


@contextmanager
def open_browser(path: str, *flags: str) -> Iterator[Tab]:
    """Start a browser with a profile of its own, and end it afterwards."""
    commands_read, commands_write = os.pipe()
    answers_read, answers_write = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = os.posix_spawn(
            path,
            [path, *FLAGS, *flags, f"--user-data-dir={profile}", "about:blank"],
            os.environ,
            file_actions=[
                # Beyond 3 and 4 first, which the pipes themselves may be.
                (os.POSIX_SPAWN_DUP2, commands_read, 13),
                (os.POSIX_SPAWN_DUP2, answers_write, 14),
                (os.POSIX_SPAWN_DUP2, 13, 3),
                (os.POSIX_SPAWN_DUP2, 14, 4),
                (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
            ],
            setpgroup=0,
        )
        os.close(commands_read)
        os.close(answers_write)
        try:
            yield Tab(commands_write, answers_read)
        finally:
            os.killpg(process, signal.SIGKILL)
            os.waitpid(process, 0)
            os.close(commands_write)
            os.close(answers_read)
