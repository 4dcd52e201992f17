#!/bin/sh
# Writes the manual page of every command, and of every program that berth stands in for: manual_pages.sh BERTH FOLDER.
set -eu
berth=$1 folder=$2
mkdir -p "$folder" && rm -f "$folder"/*.1
"$berth" help --manual >"$folder/berth.1"
for command in $("$berth" help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p'); do
        "$berth" help --manual "$command" >"$folder/berth-$command.1"
done
for program in kube-scheduler descheduler kured; do
        "$berth" help --manual --as $program >"$folder/$program.1"
done
for program in kubectl-berth kubectl_complete-berth; do
        echo ".so man1/berth.1" >"$folder/$program.1"
done
touch "$folder"
