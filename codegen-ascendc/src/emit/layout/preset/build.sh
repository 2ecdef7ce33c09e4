# Fetches the toolkit's part of the project once, then builds the package.
set -euo pipefail
cd "$(dirname "$0")"

if [[ -z "${ASCEND_HOME_PATH:-}" ]]; then
    echo "ASCEND_HOME_PATH is not set: source the toolkit's set_env.sh first" >&2
    exit 2
fi

if [[ ! -d cmake ]]; then
    msopgen=$(command -v msopgen || echo "$ASCEND_HOME_PATH/python/site-packages/bin/msopgen")
    project=$(mktemp -d)
    trap 'rm -rf "$project"' EXIT
    "$msopgen" gen -i msopgen.json -f tf -c ai_core-SOC -lan cpp -out "$project/toolkit"
    cp -r "$project/toolkit/cmake" "$project/toolkit/scripts" "$project/toolkit/CMakeLists.txt" .
fi

cmake -S . --preset=default
cmake --build build_out --target binary -j "$(nproc)"
cmake --build build_out --target package
