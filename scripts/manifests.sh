#!/bin/sh
# The manifests and charts of deploy/ with the name of your image: manifests.sh IMAGE [FOLDER] (build-manifests). For `make manifests`.
# IMAGE says everything: registry, name, and a tag or digest. Needs no kubectl.
set -eu
cd "$(dirname "$0")/.."
image=$1 folder=${2:-build-manifests}
placeholder=berth.invalid/berth
wrong() {
        echo "manifests: IMAGE=$image: $1; expected something like IMAGE=registry.example/berth:0.1.0" >&2
        exit 2
}

case $image in
"") wrong "no name" ;;
*[!a-zA-Z0-9._/:@-]*) wrong "a character that no image name has" ;;
esac
case ${image%%/*}/$image in
"$image/$image") wrong "no registry, so it would be looked for where nobody chose" ;;
*.*/"$image" | *:*/"$image" | localhost/"$image") ;;
*) wrong "no registry, so it would be looked for where nobody chose" ;;
esac
last=${image##*/} # behind the registry, whose port has a colon, too
case $last in
?*@sha256:?*) name=${image%@*} chosen="digest: ${image#*@}" repository=$name@sha256 ;;
?*:?*) name=${image%:*} chosen="newTag: \"${image##*:}\"" repository=$name ;;
*) wrong "neither tag nor digest" ;;
esac

[ ! -e "$folder" ] || [ -f "$folder/image/kustomization.yaml" ] || {
        echo "manifests: $folder is there, and none that this script made" >&2
        exit 2
}
rm -rf "$folder"
mkdir -p "$folder"
cp -R deploy/. "$folder"
rm -rf "$folder/systemd" "$folder/meson.build"
find "$folder" -name '*.yaml' ! -path "$folder/image/*" ! -path "$folder/charts/*" | while read -r file; do
        sed "/^ *#/!s|$placeholder|$image|" "$file" >"$file.new"
        mv "$file.new" "$file"
done
sed "s|newName: .*|newName: $name|; s|newTag: .*|$chosen|" deploy/image/kustomization.yaml >"$folder/image/kustomization.yaml"
for file in "$folder"/charts/*/values.yaml; do # Helm joins the two with a colon, which is right for a digest, too
        sed "s|repository: $placeholder|repository: $repository|; s|^  tag: .*|  tag: \"${image##*:}\"|" "$file" >"$file.new"
        mv "$file.new" "$file"
done
echo "$folder: $image"
