#!/bin/sh
# A double click on macOS runs this: it installs the packages once, and starts the service. start.cmd is for Windows.
cd "$(dirname "$0")" || exit
if ! command -v npm >/dev/null; then
  echo 'Install Node.js 24 from https://nodejs.org first, then open this file again.'
  exit 1
fi
[ -d node_modules/commander ] || npm ci || exit
exec npm start
