#!/usr/bin/env python3
"""Subcommands without help texts below a metavar, one of them with aliases; options without texts."""
import argparse
import json

parser = argparse.ArgumentParser()
parser.add_argument("--profile")
commands = parser.add_subparsers(dest="command", metavar="<command>", help="what to do")
for name, aliases in (("start", ["up", "run"]), ("stop", [])):
    command = commands.add_parser(name, aliases=aliases)
    command.add_argument("name")
    command.add_argument("--port", type=int, default=80)
    command.add_argument("--label", action="extend", nargs="+")
    command.add_argument("--token", required=True)
status = commands.add_parser("status", help="tell the state")
status.add_argument("names", nargs="*")
status.add_argument("-q", action="store_true")
status.add_argument("-n", type=int)
print(json.dumps(vars(parser.parse_args()), sort_keys=True))
