#!/usr/bin/env bash
# getopts, with a usage text written by hand.
usage() {
  cat <<TEXT
Usage: $(basename "$0") [-h] [-n] [-e ENV] [-t TAG] -r REGION SERVICE [HOST...]

Deploy a service.

  -h          show this help
  -n          dry run
  -e ENV      environment (dev|prod)
  -t TAG      tag of the image
  -r REGION   where to
TEXT
}
dry=0 env=dev tag=latest region=
[ "$1" = --help ] && { usage; exit 0; }
while getopts "hne:t:r:" option; do
  case $option in
    h) usage; exit 0 ;;
    n) dry=1 ;;
    e) env=$OPTARG ;;
    t) tag=$OPTARG ;;
    r) region=$OPTARG ;;
    *) usage >&2; exit 2 ;;
  esac
done
shift $((OPTIND - 1))
[ -z "$region" ] && { usage >&2; exit 2; }
printf '{"dry":%s,"env":"%s","tag":"%s","region":"%s","words":[' $dry "$env" "$tag" "$region"
comma=
for word in "$@"; do printf '%s"%s"' "$comma" "$word"; comma=,; done
echo ']}'
