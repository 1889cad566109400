#!/bin/sh
# Puts the official JSON Schema test suite (2020-12, 2019-09 and draft-07) into DIR, from the Debian package that
# carries it. Nothing is installed. Does nothing when the suite is already there.
#
# Usage: scripts/json-schema-suite.sh [DIR]        DIR is .cache/json-schema-suite unless given
set -eu

target=${1:-.cache/json-schema-suite}
package=libtest-json-schema-acceptance-perl

if [ -d "$target/tests/draft7" ]; then
  echo "The suite is already in $target."
  exit 0
fi

for tool in apt-get dpkg; do
  if ! command -v "$tool" >/dev/null; then
    echo "$tool is missing: this script needs Debian or a system like it. Elsewhere, put tests/draft2020-12, tests/draft2019-09" \
      "and tests/draft7 of github.com/json-schema-org/JSON-Schema-Test-Suite into $target." >&2
    exit 1
  fi
done

mkdir -p "$target"
target=$(cd "$target" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

if ! apt-get download "$package" >"$work/log" 2>&1; then
  update="apt-get update"
  if [ "$(id -u)" != 0 ] && command -v sudo >/dev/null; then update="sudo apt-get update"; fi
  if ! { $update && apt-get download "$package"; } >>"$work/log" 2>&1; then
    cat "$work/log" >&2
    echo "The package $package could not be downloaded. Check the network and the apt sources." >&2
    exit 1
  fi
fi

dpkg -x ./"$package"_*.deb unpacked
suite=unpacked/usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance
cp "$suite/submodule_status" "$target/REVISION"
# Never committed, whatever the project ignores.
echo '*' >"$target/.gitignore"
mkdir -p "$target/tests"
# draft7 last, and under another name until it is whole: it stands for the whole suite.
for draft in draft2020-12 draft2019-09 draft7; do
  rm -rf "$target/tests/$draft" "$target/tests/$draft.part"
  cp -R "$suite/tests/$draft" "$target/tests/$draft.part"
  mv "$target/tests/$draft.part" "$target/tests/$draft"
done
echo "The suite is in $target, revision $(cut -c1-12 "$target/REVISION" | head -n 1)."
