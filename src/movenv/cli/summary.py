"""What `movenv run` and `movenv info` say of a run."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from movenv.review.fidelity import Rating
    from movenv.scenario.build import Stage

from movenv.cli.mission_words import mission_words
from movenv.cli.rehearsed import rehearsal_lines

COMPILING = 1.5
"""A first tick that took longer than this, s, had kernels to compile."""


def json_text(facts: dict[str, Any]) -> str:
    import msgspec

    return msgspec.json.format(msgspec.json.encode(facts), indent=2).decode()


def write_report(path: Path, facts: dict[str, Any]) -> None:
    """The same into a file. Raises RunFailed."""
    from movenv.runtime.errors import RunFailed

    try:
        path.write_text(json_text(facts), encoding="utf-8")
    except OSError as error:
        raise RunFailed(f"cannot write {path}: {error.strerror}") from None


LABEL = 14
"""Width of the labels on the left."""


def print_summary(facts: dict[str, Any]) -> None:
    """A run in a few lines, the same on a terminal and in a pipe."""
    for label, text in _lines(facts):
        print(f"{label:<{LABEL}}{text}")


def _lines(facts: dict[str, Any]) -> list[tuple[str, str]]:
    lines = [("scenario", f"{facts['scenario']}, seed {facts['seed']}")]
    lines.append(("vehicles", f"{facts['vehicles']:,}"))
    simulated = f"{facts['simulated_s']:,.1f} s in {facts['ticks']:,} ticks"
    if facts.get("interrupted"):
        simulated += ", interrupted"
    lines.append(("simulated", simulated))
    if "real_time_factor" in facts:
        speed = f"{facts['real_time_factor']:,.3g} × real time ({facts['running_s']:.2f} s"
        if facts["starting_s"] > COMPILING:
            speed += f", after {facts['starting_s']:.1f} s to compile kernels, this once"
        lines.append(("speed", speed + ")"))
    if "hosts" in facts and "core" in facts:
        lines += _live_lines(facts)
    notices = ", ".join(f"{name} {count:,}" for name, count in facts["notices"].items())
    lines.append(("notices", f"{notices}  (times a pair came within)"))
    lines.append(("closest", _closest(facts)))
    if facts.get("trespasses"):
        lines.append(("trespassing", _trespassing(facts)))
    if facts["detections"]:
        lines.append(("found", f"{facts['detections']:,} times"))
    if facts.get("missions"):
        lines.append(("missions", mission_words(facts["missions"])))
    shares = sorted(facts["behavior_shares"].items(), key=lambda item: -item[1])
    held = ", ".join(f"{name} {share:.1%}" for name, share in shares if share)
    if held:
        lines.append(("at the wheel", held))
    lines += rehearsal_lines(facts.get("rehearsed", {}))
    lines += _rating_lines(facts)
    if facts.get("recording"):
        lines.append(("recording", str(facts["recording"])))
    if facts.get("database"):
        lines.append(("database", str(facts["database"])))
    return lines + _file_lines(facts)


def _live_lines(facts: dict[str, Any]) -> list[tuple[str, str]]:
    """How a live run kept to the clock."""
    margins = [
        h["margin_p5"] for h in (facts["core"], *facts["hosts"]) if h["margin_p5"] is not None
    ]
    lags = [h["worst_lag"] for h in (facts["core"], *facts["hosts"]) if h["worst_lag"] is not None]
    late = sum(host["late"] for host in facts["hosts"])
    clock = f"× {facts['speed']:g} on {_count(len(facts['hosts']), 'host')}"
    if margins and lags:
        clock += f"; margin {min(margins):.0%} at the 5th percentile, worst lag {max(lags):.3f} s"
    lines = [("clock", clock)]
    troubles = {
        "missed ticks": facts["core"]["missed_ticks"],
        "carried ticks": facts["core"]["carried_ticks"],
        "late ticks": late,
        "records given up": facts["given_up"],
        "restarts": facts["restarts"],
        **facts["core"]["refused"],
    }
    told = ", ".join(f"{what} {count:,}" for what, count in troubles.items() if count)
    return lines + ([("troubles", told)] if told else [])


def rating_of(
    recording: Path | None, stage: "Stage", changes: list[str], rehearsed: bool
) -> "Rating":
    """Of what was recorded of a live run; without a recording nobody knows who came."""
    from movenv.recording.reader import Recording
    from movenv.recording.writer import RecordingRefused
    from movenv.review.fidelity import rate, rate_plan
    from movenv.runtime.recorded import run_record
    from movenv.runtime.rehearsal.doors import why_not

    if recording:
        try:
            with Recording(recording) as opened:
                return rate(opened)
        except RecordingRefused:  # the recorder failed, which was told
            pass
    played = [r.entry.name for r in stage.real if rehearsed and not why_not(r.entry)]
    return rate_plan(run_record(stage, 0.0, changes, rehearsed=played))


def rating_facts(rating: "Rating") -> dict[str, Any]:
    """The fidelity of a run: the five numbers, and how they came about."""
    import msgspec

    return {"fidelity": rating.quintet, "rating": msgspec.to_builtins(rating)}


def _rating_lines(facts: dict[str, Any]) -> list[tuple[str, str]]:
    """The quintet; of a recording with the reasons."""
    quintet, rating = facts["fidelity"], facts["rating"]
    values = "/".join(str(value) for value in quintet.values())
    lines = [("fidelity", f"{values} = {sum(quintet.values())}")]
    if "run_states" in facts:
        lines += [
            ("", f"{name} {value}: {rating[name]['reason']}") for name, value in quintet.items()
        ]
    return lines + ([("", rating["remark"])] if rating["remark"] else [])


def _file_lines(facts: dict[str, Any]) -> list[tuple[str, str]]:
    """What only a recording knows."""
    if "run_states" not in facts:
        return []
    started = datetime.fromtimestamp(facts["started_utc"], UTC)
    states = ", ".join(f"{s['state']} {s['t']:.1f} s" for s in facts["run_states"])
    lines = [("started", f"{started:%Y-%m-%d %H:%M:%S} UTC, movenv {facts['movenv']}")]
    lines.append(("run states", states))
    if facts["changes"]:
        lines.append(("changed by", ", ".join(f"--set {change}" for change in facts["changes"])))
    return lines + [("damage", line) for line in facts["damage"]]


def _trespassing(facts: dict[str, Any]) -> str:
    told, count = facts["trespassers"], facts["trespasses"]
    more = f"; {count - len(told):,} more times, see the events" if count > len(told) else ""
    return "; ".join(told) + more


def _closest(facts: dict[str, Any]) -> str:
    closest = facts["closest"]
    if not closest:
        return "no pair" if facts["closest_of"] == "all pairs" else "no pair within notice range"
    pair = " and ".join(closest["names"])
    return (
        f"{closest['distance']:.2f} m, {pair}, t = {closest['t']:.1f} s  (of {facts['closest_of']})"
    )


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"
