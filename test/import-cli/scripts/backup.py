#!/usr/bin/env python3
"""A title and a description of the subcommands, other formatters, and a narrow page."""
import argparse
import json


class Narrow(argparse.ArgumentDefaultsHelpFormatter):
    def __init__(self, prog):
        super().__init__(prog, max_help_position=20, width=60)


parser = argparse.ArgumentParser(description="Back up databases.", formatter_class=Narrow, allow_abbrev=False)
parser.add_argument("--config", default="/etc/backup.ini", help="configuration")
parser.add_argument("--log-level", default="info", choices=("debug", "info", "error"), help="how much to log")
actions = parser.add_subparsers(title="actions", description="what can be done", dest="action", required=True)
create = actions.add_parser(
    "create",
    help="create a backup of a database, with its tables and its users, as it is now",
    formatter_class=argparse.MetavarTypeHelpFormatter,
)
create.add_argument("database", type=str, help="what to back up")
create.add_argument("name", type=str, help="how to call it")
create.add_argument("--keep", type=int, default=7, help="days to keep it")
create.add_argument("--ratio", type=float, help="how much to compress")
restore = actions.add_parser("restore", help="restore one", formatter_class=Narrow)
restore.add_argument("backup_id", help="which")
restore.add_argument("target", nargs="?", default="local", help="where to")
restore.add_argument("--timeout", type=float, default=30.0, help="seconds")
restore.add_argument("--retries", type=int, default=3, help="tries")
restore.add_argument("--tables", nargs="*", default=[], help="tables of which each is restored by itself")
restore.add_argument("--force", "-f", action="store_true", help="overwrite")
expire = actions.add_parser("expire-very-old-backups-now", help="remove old ones")
expire.add_argument("--older-than", required=True, metavar="DAYS", type=int)
print(json.dumps(vars(parser.parse_args()), sort_keys=True))
