"""The launcher: starts the processes of a run, restarts what was killed, and ends with them."""

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import msgspec

from movenv.runtime.errors import RunFailed
from movenv.runtime.live import bus as keys
from movenv.runtime.live import wire
from movenv.runtime.live.bus import Bus, BusError
from movenv.runtime.live.child import RESTARTS, Child, spawn
from movenv.runtime.live.missing import missing_words
from movenv.runtime.live.wire import Beacon, Command, Done, Garbled, Refusal
from movenv.world.run_state import RunState

START_PATIENCE = 60.0
"""How long a Core may take to answer, s."""
FAREWELL, AFTER_CORE = 15.0, 10.0
"""How long processes may take to end after STOP, and when the Core has ended, s."""
STOP_PATIENCE = 10.0
"""How long the Core may take to answer a Ctrl-C, s."""
WORD_EVERY = 5.0
RESTARTS_WITHIN = 30.0
"""A process that was killed RESTARTS times within so many seconds is not started again."""
LOOK_EVERY = 0.05
LAST_LOOK, COMPANIONS_END = 1.0, 4.0
"""How long after STOP companions stay, so that whoever watches sees it; and may take to end, s."""
SPEAKERS = ("core", "gateway", "console", "feeder")
"""What these print is for the user; of the others only the log keeps it."""


class LaunchFailed(RunFailed):
    """The run could not be started or has broken down; the message is for the user."""


class Launcher:
    """Starts, watches, and ends the processes of one run on this machine."""

    def __init__(
        self,
        run_id: str,
        endpoint: str,
        credentials: Any,
        log: Path,
        say: Callable[[str], None],
        auto: bool = True,
    ) -> None:
        """`auto`: the run is meant to start by itself."""
        self._auto = auto
        self.beacon: Beacon | None = None
        self.final: dict[str, Any] | None = None
        """The Core's status after STOP."""
        self.failures: list[str] = []
        self.restarts = 0
        self._run_id = run_id
        self._endpoint = endpoint
        self._credentials = credentials
        # Join links are printed, and so stand there: nobody else reads it.
        private = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._log: IO[str] = os.fdopen(private, "a", encoding="utf-8")
        self._say = say
        self._children: list[Child] = []
        self._bus: Bus | None = None
        self._stopped_at: float | None = None
        self._next_word = time.monotonic() + WORD_EVERY

    # --- processes

    def start(
        self,
        name: str,
        arguments: list[str],
        again: Callable[[], list[str]] | None = None,
        outsider: bool = False,
        companion: bool = False,
    ) -> None:
        """Start `movenv ARGUMENTS`; `again` says how, after it was killed.

        An `outsider` does not hear of STOP and is ended by us. So is a `companion`, a moment
        later; and the run does without it, however it ends.
        """
        process = spawn(arguments)
        child = Child(name, again or (lambda: arguments), process, outsider, companion)
        self._children.append(child)
        self._listen(child)

    def _listen(self, child: Child) -> None:
        child.starts.append(time.monotonic())
        pipe = child.process.stdout
        assert pipe is not None

        def read() -> None:
            for line in pipe:
                child.lines.append(line.rstrip())
                self._log.write(f"{child.name}: {line}")
                self._log.flush()
                if child.name in SPEAKERS:
                    self._say(line.rstrip())

        threading.Thread(target=read, name=f"log of {child.name}", daemon=True).start()

    def connect(self) -> None:
        """Wait for the Core to answer. Raises LaunchFailed."""
        until = time.monotonic() + START_PATIENCE
        while self._bus is None:
            self._fail_if_ended("core")
            if time.monotonic() > until:
                raise LaunchFailed("the Core does not answer")
            self._bus = self._to_own_core()
        self._bus.hear(keys.BEACON, self._on_beacon)
        self._bus.be_alive(keys.watcher_key("launcher"))

    def _to_own_core(self) -> Bus | None:
        """A link to the Core we started; None while there is none, or another's."""
        try:
            bus = Bus.connect(self._endpoint, self._credentials, patience=0.5)
        except BusError:
            return None
        try:
            info = wire.decode(wire.RunInfo, bus.ask(keys.RUN, b"", timeout=START_PATIENCE))
            if info.beacon.run == self._run_id:
                return bus
        except (BusError, Garbled):
            pass  # not ours, or not ready yet
        bus.close()
        time.sleep(LOOK_EVERY)
        return None

    def _fail_if_ended(self, name: str) -> None:
        for child in self._children:
            if child.name == name and child.ended:
                time.sleep(0.1)  # its last words are on their way
                raise LaunchFailed("\n".join(child.lines) or f"{name} ended at once")

    def watch(self, progress: Callable[[int], None], asked: Callable[[], bool]) -> None:
        """Until the run has ended. `asked` tells whether somebody wants it to end."""
        asked_at: float | None = None
        while not self._ended:
            time.sleep(LOOK_EVERY)
            if self.beacon is not None:
                progress(self.beacon.tick)
                if self.beacon.state == RunState.STOP and self._bus is not None:
                    self._stopped_at = time.monotonic()
                    self.final = self.status()
                    self._release()
            self._send_home()
            if asked() and self._stopped_at is None:
                asked_at = asked_at or time.monotonic()
                if not self._stop(time.monotonic() - asked_at):
                    break
            self._mend()
            self._tell_waiting()
        self._look_back()

    def _send_home(self) -> None:
        """After STOP: end those who do not end by themselves."""
        if self._stopped_at is None:
            return
        late = time.monotonic() - self._stopped_at > LAST_LOOK
        for child in self._children:
            due = child.outsider or (child.companion and late)
            if due and not child.sent_home and not child.ended:
                child.sent_home = True
                child.process.terminate()

    def _stop(self, asking: float) -> bool:
        """Ask the Core to stop; after a while without an answer give up, and return so."""
        why = self.command(RunState.STOP, "Ctrl-C", timeout=1.0)
        if why is None:
            return True
        self._say(f"{why}; Ctrl-C again ends everything at once")
        if asking < STOP_PATIENCE:
            return True
        self.failures.append(f"the Core did not stop: {why}")
        return False

    def _tell_waiting(self) -> None:
        """While nothing moves, say every few seconds what is missing."""
        if self.beacon is None or self.beacon.state > RunState.SET or not self._auto:
            return
        if time.monotonic() < self._next_word:
            return
        self._next_word = time.monotonic() + WORD_EVERY
        found = self.status()
        if found and found["missing"]:
            self._say(f"waiting for {missing_words(found)}")

    @property
    def _ended(self) -> bool:
        """Whether everything has ended, or will not any more."""
        since = None if self._stopped_at is None else time.monotonic() - self._stopped_at
        if all(child.ended for child in self._members):
            companions = [child for child in self._children if child.companion]
            over = since is None or since > COMPANIONS_END
            return over or all(child.ended for child in companions)
        if since is None:
            return self._broken_down
        core_is_gone = any(child.name == "core" and child.ended for child in self._children)
        return since > (AFTER_CORE if core_is_gone else FAREWELL)

    @property
    def _members(self) -> list[Child]:
        """Those without whom the run is not what it should be."""
        return [child for child in self._children if not child.companion]

    @property
    def _broken_down(self) -> bool:
        """Without a Core or a host there is no run; and one that has not begun needs everyone."""
        failed = [child for child in self._members if child.failed]
        hosts = [child for child in self._children if child.name.startswith("host")]
        begun = self.beacon is not None and self.beacon.state >= RunState.GO
        return (
            any(child.name == "core" for child in failed)
            or (bool(hosts) and all(child.failed for child in hosts))
            or (bool(failed) and not begun)
        )

    def _mend(self) -> None:
        """Start again what was killed; note what failed by itself."""
        if self._stopped_at is not None:
            return
        for child in self._children:
            code = child.process.poll()
            if not code or child.failed:
                continue
            recent = [s for s in child.starts if s > time.monotonic() - RESTARTS_WITHIN]
            if code > 0:
                self._note_failure(child, f"exit code {code}")
            elif len(recent) >= RESTARTS:
                child.lines.clear()
                often = f"killed {RESTARTS} times within {RESTARTS_WITHIN:g} s"
                self._note_failure(child, often)
            else:
                self._say(f"{child.name} was killed (signal {-code}); starting it again")
                self.restarts += 1
                child.process = spawn(child.again())
                self._listen(child)

    def _note_failure(self, child: Child, code: str) -> None:
        time.sleep(0.1)  # its last words are on their way
        child.failed = True
        words = f"{child.name} failed: " + ("\n".join(child.lines) or code)
        if child.companion:
            self._say(f"{words}\nthe run goes on without it")
            return
        self.failures.append(words)
        self._say(f"{words}\n{child.name} is not started again")

    def _look_back(self) -> None:
        """After STOP: who did not end, or not well."""
        if self._stopped_at is None:
            return  # nobody was told to end: it broke down, and why has been said
        for child in self._members:
            code = child.process.poll()
            if child.failed or child.outsider or code == 0:
                continue
            how = "did not end and was killed" if code is None else f"ended with {code}"
            lost = "; the recording is not complete" if child.name == "recorder" else ""
            self.failures.append(f"{child.name} {how}{lost}")
            self._say(self.failures[-1])

    # --- the run

    def command(self, state: RunState, who: str, timeout: float = 5.0) -> str | None:
        """Ask the Core for a run state; returns why not, if not."""
        if self._bus is None:
            return "the Core is not there"
        try:
            data = self._bus.ask(keys.COMMAND, Command(state, who).encoded(), timeout)
            answer = wire.as_answer(Done, data)
        except (BusError, Garbled) as error:
            return str(error)
        return answer.why if isinstance(answer, Refusal) else None

    def status(self) -> dict[str, Any] | None:
        """The Core's last word on the run."""
        try:
            assert self._bus is not None
            status: dict[str, Any] = msgspec.json.decode(self._bus.ask(keys.STATUS, b""))
        except (BusError, msgspec.MsgspecError):
            return None
        return status

    def _on_beacon(self, _key: str, data: bytes) -> None:
        try:
            self.beacon = wire.decode(Beacon, data)
        except Garbled:
            return

    def _release(self) -> None:
        """Let the Core end: we have asked what we wanted."""
        if self._bus is not None:
            self._bus.close()
            self._bus = None

    def kill(self) -> None:
        """At once, whatever is left."""
        self._release()
        for child in self._children:
            if not child.ended:
                child.process.kill()
            child.process.wait()

    @property
    def pids(self) -> dict[str, int]:
        return {child.name: child.process.pid for child in self._children}
