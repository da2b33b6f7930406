"""`doctor`: what this machine can run and what is missing."""

from __future__ import annotations

import argparse
import os

from app.commands.console import paths_of, result, show
from app.services.server_keys import KEY_VARIABLE

CANNOT_SPEAK_STATUS = 4
_MARKS = {"ok": "ok     ", "note": "note   ", "missing": "MISSING"}


def register(subparsers) -> None:
    parser = subparsers.add_parser("doctor", help="what this machine can run and what is missing")
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    parser.add_argument(
        "--report", action="store_true", help="print a report to hand on, without names and folders of yours"
    )
    words = f"ask this server alone, with the key in {KEY_VARIABLE} if there is one"
    parser.add_argument("--server", default="", metavar="NAME", help=words)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from app.services.doctor import can_speak, examine, report_text

    findings = []
    for finding in examine(paths_of(args), server=args.server, key=os.environ.get(KEY_VARIABLE, "")):
        findings.append(finding)
        if not args.json and not args.report:
            show(f"{_MARKS[finding.state]}  {finding.message}" + (f"  → {finding.remedy}" if finding.remedy else ""))
    speaks = can_speak(findings)
    if args.report:
        show(report_text(findings, paths_of(args)))
        return 0 if speaks else CANNOT_SPEAK_STATUS
    if args.json:
        result({"can_speak": speaks, "findings": [finding.to_json() for finding in findings]})
    elif speaks:
        show("This machine can speak.")
    return 0 if speaks else CANNOT_SPEAK_STATUS
