#!/usr/bin/env python3
"""Subcommands below a metavar, with aliases, nested ones, shared options, lists behind flags and the rest of a line."""
import argparse
import json

common = argparse.ArgumentParser(add_help=False)
common.add_argument("--region", default="eu", help="region to work in")
common.add_argument("-v", "--verbose", action="count", default=0)
parser = argparse.ArgumentParser(description="Manage a fleet of hosts.")
parser.add_argument("--dry-run", action="store_true", help="only say what would happen")
parser.add_argument("--inventory", metavar="FILE", help="inventory file")
commands = parser.add_subparsers(dest="cmd", metavar="COMMAND", required=True)

listing = commands.add_parser("list", aliases=["ls"], help="list hosts", parents=[common])
listing.add_argument("--state", choices=["up", "down", "any"], default="any")
listing.add_argument("--limit", type=int, default=20)

deploy = commands.add_parser("deploy", help="deploy a service to hosts", parents=[common])
deploy.add_argument("service")
deploy.add_argument("hosts", nargs="+", metavar="HOST", help="hosts to deploy to")
deploy.add_argument("--set", nargs="+", metavar="KEY=VALUE", default=[], help="values to set")
deploy.add_argument("--tags", nargs="*", help="tags of this deployment")
deploy.add_argument("--grace", type=float, default=2.5, help="seconds to wait (default: %(default)s)")
how = deploy.add_mutually_exclusive_group()
how.add_argument("--canary", action="store_true")
how.add_argument("--all-at-once", action="store_true")

run = commands.add_parser("run", help="run a command on a host")
run.add_argument("--env", nargs="*", metavar="VAR")
run.add_argument("host")
run.add_argument("cmdline", nargs=argparse.REMAINDER, help="the command and its arguments")

key = commands.add_parser("key", help="manage keys").add_subparsers(dest="key_cmd", metavar="<subcommand>")
add = key.add_parser("add", help="add a key")
add.add_argument("id")
add.add_argument("--file", metavar="PATH", help="path to the key")
remove = key.add_parser("remove", aliases=["rm", "del"], help="remove keys")
remove.add_argument("ids", nargs="*", type=int)
print(json.dumps(vars(parser.parse_args()), sort_keys=True))
