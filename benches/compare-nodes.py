#!/usr/bin/env python3
"""Nodes a second of processor time beside those of Fairy-Stockfish, in turn from the same positions.

    benches/compare-nodes.py PATH/TO/STOCKFISH variants.ini SECTION POSITIONS [NODES]

SECTION is that of variants.ini that both play (Jewel imports it). POSITIONS is a file with a position string on each line, such
as one of `jewel openings`. Jewel searches NODES (1,200,000) from each, and Fairy-Stockfish, which is slower, half as many.
Linux only: processor time is read from /proc.
"""

import os
import subprocess
import sys
import tempfile

JEWEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "target", "release", "jewel")


class Engine:
    """A UCI engine with one thread and 64 MB."""

    def __init__(self, command, options):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, bufsize=1)
        self.ask("uci", "uciok")
        for name, value in {"Hash": 64, **options}.items():
            self.send(f"setoption name {name} value {value}")

    def send(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def ask(self, line, answer):
        self.send(line)
        while True:
            words = self.process.stdout.readline()
            if not words:
                sys.exit(f"{self.process.args[0]} ended")
            if words.split()[:1] == [answer]:
                return

    def seconds(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def search(self, fen, nodes):
        self.send("ucinewgame")
        self.ask("isready", "readyok")
        self.send("position fen " + fen)
        before = self.seconds()
        self.ask(f"go nodes {nodes}", "bestmove")
        return self.seconds() - before


def main():
    if len(sys.argv) not in (5, 6):
        sys.exit(__doc__.strip())
    fairy, ini, section, positions = sys.argv[1:5]
    nodes = int(sys.argv[5]) if len(sys.argv) == 6 else 1_200_000
    with open(positions, encoding="utf-8") as lines:
        fens = [" ".join(line.split()[:4]) + " 0 1" for line in lines if line.strip()]
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
        subprocess.run([JEWEL, "variant", "import", ini, section], check=True, stdout=file)
        engines = [
            (Engine([JEWEL, "uci", file.name], {}), nodes),
            (Engine([fairy], {"VariantPath": ini, "UCI_Variant": section, "Use NNUE": "false"}), nodes // 2),
        ]
        times = [0.0, 0.0]
        for fen in fens:
            for n, (engine, limit) in enumerate(engines):
                times[n] += engine.search(fen, limit)
        for engine, _ in engines:
            engine.send("quit")
    ours, theirs = (limit * len(fens) / time for (_, limit), time in zip(engines, times))
    print(f"jewel            {ours:12,.0f} nodes a second")
    print(f"fairy-stockfish  {theirs:12,.0f} nodes a second")
    print(f"ratio            {ours / theirs:12.2f}")


if __name__ == "__main__":
    main()
