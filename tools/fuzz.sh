#!/usr/bin/env bash
# Runs every fuzz target of the repository for a time: tools/fuzz.sh 10s
set -euo pipefail
cd "$(dirname "$0")/.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT

fuzz() { # folder target
	(cd "$1" && go test -run '^$' -fuzz "^$2\$" -fuzztime "$time" -fuzzminimizetime 10x . </dev/null) >"$log" 2>&1
}

# go test sometimes reports the end of the time as a failure of the target, which
# has found nothing then.
ended() { grep -q '^ *context deadline exceeded$' "$log" && ! grep -q 'Failing input' "$log"; }

time=${1:-10s}
grep -rEo --include='*_test.go' --exclude-dir=testdata '^func Fuzz[A-Za-z0-9_]+' . | sort | while IFS=: read -r file target; do
	folder=$(dirname "$file") target=${target#func }
	echo "-- $folder $target"
	if fuzz "$folder" "$target" || { ended && fuzz "$folder" "$target"; } || ended; then
		tail -n 1 "$log"
	else
		cat "$log"
		exit 1
	fi
done
