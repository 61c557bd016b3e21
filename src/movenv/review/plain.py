"""Findings as plain lists and numbers, for JSON and other programs."""

from dataclasses import asdict
from typing import Any

import numpy as np

from movenv.review.findings import Findings, names_of
from movenv.world.kinds import Origin

PAIRS_TOLD = 5_000
"""The closest; there are half a million pairs of a thousand vehicles."""


def plain(findings: Findings, pairs: int = PAIRS_TOLD) -> dict[str, Any]:
    """All numbers of a review but the series for drawing. What is not known is nan."""
    return {
        "run": asdict(findings.run),
        "fidelity": {
            **{name: asdict(rated) for name, rated in findings.rating.each()},
            "total": findings.rating.total,
            "remark": findings.rating.remark,
        },
        "vehicles": _vehicles(findings),
        "fixes": _fixes(findings),
        "pairs": _pairs(findings, pairs),
        "pairs_in_all": len(findings.pairs) + findings.pairs.left_out,
        "happenings": [asdict(happening) for happening in findings.happenings],
        "happenings_left_out": findings.left_out,
    }


def _vehicles(findings: Findings) -> list[dict[str, Any]]:
    roster, facts = findings.roster, findings.vehicles
    return [
        {
            "vid": int(roster.vids[row]),
            "name": roster.names[row],
            "kind": str(roster.kinds[roster.kind[row]]),
            "origin": Origin(roster.origin[row]).name.lower(),
            "known_s": float(facts.known_s[row]),
            "distance": float(facts.distance[row]),
            "mean_speed": float(facts.mean_speed[row]),
            "top_speed": float(facts.top_speed[row]),
            "behaviors": facts.behaviors[row],
            "gaps": [
                {"since": since, "until": until, "why": why}
                for since, until, why in facts.gaps[row]
            ],
        }
        for row in range(len(roster))
    ]


def _fixes(findings: Findings) -> list[dict[str, Any]]:
    fixes = findings.fixes
    columns = [name for name in vars(fixes) if name != "rows"]
    return [
        {"name": name, **{column: getattr(fixes, column)[i].item() for column in columns}}
        for i, name in enumerate(names_of(findings.roster, fixes.rows))
    ]


def _pairs(findings: Findings, most: int) -> list[dict[str, Any]]:
    pairs, levels = findings.pairs, list(findings.run.levels)
    columns = ("closest", "closest_t", "both_known_s", "mean", "deviation", "farthest")
    told = []
    for i in range(min(len(pairs), most)):
        names = names_of(findings.roster, np.array([pairs.row[i], pairs.other[i]]))
        below = dict(zip(levels, pairs.below_s[:, i].tolist(), strict=True))
        numbers = {name: float(getattr(pairs, name)[i]) for name in columns}
        told.append({"names": names, **numbers, "below_s": below})
    return told
