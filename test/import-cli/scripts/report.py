#!/usr/bin/env python3
"""Groups with titles of their own, a description and an epilog with lists, and each number of values behind a flag."""
import argparse
import json

parser = argparse.ArgumentParser(
    description="Make a report.\n\nWhat it reads:\n  rows     of files\n  --rows   is no option\n",
    formatter_class=argparse.RawDescriptionHelpFormatter,
    epilog="Notes:\n  --fast   is no option either\n",
)
parser.add_argument("sources", nargs="+", metavar="SOURCE", help="CSV files to read")
output = parser.add_argument_group("output options", "where it goes")
output.add_argument("--out", "-o", metavar="FILE", default="-", help="write to FILE")
output.add_argument("--format", "-f", choices=["text", "html", "json"], default="text", help="form of the page")
columns = parser.add_argument_group("Columns")
columns.add_argument("--columns", nargs="+", help="columns to show")
columns.add_argument("--width", nargs=2, type=int, metavar=("MIN", "MAX"), help="least and greatest width")
columns.add_argument("--sort", nargs="?", const="name", help="sort by a column")
columns.add_argument("--where", action="append", nargs=2, metavar=("COLUMN", "VALUE"), default=[])
period = parser.add_mutually_exclusive_group(required=True)
period.add_argument("--daily", dest="period", action="store_const", const="day")
period.add_argument("--weekly", dest="period", action="store_const", const="week")
print(json.dumps(vars(parser.parse_args()), sort_keys=True))
