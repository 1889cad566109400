#!/bin/sh
# Puts the official JSON Schema test suite (draft 2020-12, with its remotes) into DIR, from the Debian package that
# carries it. Nothing is installed. Does nothing when the suite is already there.
#
# Usage: scripts/json-schema-suite.sh [DIR]        DIR is .cache/json-schema-suite unless given
set -eu

target=${1:-.cache/json-schema-suite}
package=libtest-json-schema-acceptance-perl

if [ -d "$target/tests/draft2020-12" ]; then
  echo "The suite is already in $target."
  exit 0
fi

for tool in apt-get dpkg; do
  if ! command -v "$tool" >/dev/null; then
    echo "$tool is missing: this script needs Debian or a system like it. Elsewhere, put tests/draft2020-12 and" \
      "remotes of github.com/json-schema-org/JSON-Schema-Test-Suite into $target." >&2
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
cp -R "$suite/remotes" "$target/"
cp "$suite/submodule_status" "$target/REVISION"
# Never committed, whatever the project ignores.
echo '*' >"$target/.gitignore"
mkdir -p "$target/tests"
# Last, so that a copy that was cut off is not taken for a whole one.
cp -R "$suite/tests/draft2020-12" "$target/tests/draft2020-12.part"
mv "$target/tests/draft2020-12.part" "$target/tests/draft2020-12"
echo "The suite is in $target, revision $(cut -c1-12 "$target/REVISION" | head -n 1)."
