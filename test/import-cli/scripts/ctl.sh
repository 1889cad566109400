#!/bin/sh
# Subcommands that know no --help: one that is asked does its work.
case "$1" in
  -h | --help | "")
    cat <<TEXT
ctl.sh - control the services

Usage:
  ctl.sh <command> [options]

Commands:
  start NAME [--port N]    start a service
  stop NAME...             stop services
  status                   show what runs

Options:
  --wait      wait until it is done
  -h, --help  show this
TEXT
    exit 0
    ;;
esac
echo "$*" >>work.log
printf '{"words":['
comma=
for word in "$@"; do printf '%s"%s"' "$comma" "$word"; comma=,; done
echo ']}'
