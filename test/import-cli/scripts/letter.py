#!/usr/bin/env python3
"""optparse."""
import json
import optparse

parser = optparse.OptionParser(usage="usage: %prog [options] NAME [FILE]...", version="1.0", description="Send a letter.")
parser.add_option("-s", "--subject", help="what it is about", metavar="TEXT")
parser.add_option("-c", "--copies", type="int", default=1, help="how many [default: %default]")
parser.add_option("-q", "--quiet", action="store_true", help="say nothing")
parser.add_option("--to", action="append", help="a receiver; may be given several times")
options, words = parser.parse_args()
print(json.dumps({**vars(options), "words": words}, sort_keys=True))
