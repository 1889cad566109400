"""Runs scripts of Python in one process: reads command lines as JSON, prints what each script printed."""
import contextlib
import io
import json
import runpy
import sys


def run(argv):
    out = io.StringIO()
    sys.argv = argv
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            runpy.run_path(argv[0])
    except SystemExit:
        return {"refused": out.getvalue()}
    return json.loads(out.getvalue())


print(json.dumps([run(argv) for argv in json.load(sys.stdin)]))
