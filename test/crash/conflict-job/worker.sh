#!/bin/sh
# A worker: paints its side of the wall, and of nothing else. What it prints is its reply.
set -eu
task=$(cat)
side=${task#paint }
sleep 0.1
echo "$side" >wall.txt
git add wall.txt
git -c user.name=worker -c user.email=worker@example.org commit -qm "Paint $side"
echo "$side" >"$side.txt"
echo "$side is painted"
