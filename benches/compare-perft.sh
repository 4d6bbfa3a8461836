#!/usr/bin/env bash
# Perft of jewel and of Fairy-Stockfish side by side: one thread, no hash, from the start position.
#
#   benches/compare-perft.sh PATH/TO/FAIRY-STOCKFISH [RUNS]
#
# The two programs take turns, RUNS times each (default 5), so that both see the same machine; the medians
# and their ratio are printed. Both must count the same, or the script fails. Whole processes are timed.
set -euo pipefail
peer=${1:?"path of the Fairy-Stockfish binary expected"}
runs=${2:-5}
cd "$(dirname "$0")/.."
cargo build --release --quiet
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

timed() { # FILE COMMAND…: appends the seconds to FILE, prints the command's output
    local file=$1 from to
    shift
    from=$(date +%s%N)
    "$@"
    to=$(date +%s%N)
    awk -v ns=$((to - from)) 'BEGIN { printf "%.4f\n", ns / 1e9 }' >>"$file"
}
median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

printf '%-14s %5s %12s %18s %18s %6s\n' game depth nodes 'jewel M/s' 'peer M/s' ratio
while read -r game depth; do
    printf 'setoption name VariantPath value %s\nsetoption name UCI_Variant value %s\nposition startpos\ngo perft %s\nquit\n' \
        "$PWD/benches/peers.ini" "$game" "$depth" >"$scratch/commands"
    rm -f "$scratch/ours" "$scratch/theirs"
    for _ in $(seq "$runs"); do
        ours=$(timed "$scratch/ours" target/release/jewel perft "$game" "$depth" --threads 1 --json |
            sed 's/.*"nodes": *\([0-9]*\).*/\1/')
        theirs=$(timed "$scratch/theirs" "$peer" <"$scratch/commands" | sed -n 's/^Nodes searched: //p')
        if [ "$ours" != "$theirs" ]; then
            echo "error: $game depth $depth: $ours nodes here, $theirs there" >&2
            exit 1
        fi
    done
    awk -v game="$game" -v depth="$depth" -v nodes="$ours" -v ours="$(median "$scratch/ours")" \
        -v theirs="$(median "$scratch/theirs")" 'BEGIN {
            printf "%-14s %5d %12d %18.1f %18.1f %6.1f\n",
                game, depth, nodes, nodes / ours / 1e6, nodes / theirs / 1e6, theirs / ours }'
done <<'GAMES'
duel 13
ambush 7
diamond-quest 7
diamond-chess 6
GAMES
