#!/usr/bin/env python3
"""Compares a table of chess with Gaviota tablebases, on a sample of legal positions.
    compare_gaviota.py FILE.jt GAVIOTA_FOLDER [--sample N] [--seed N]
Needs the Python package chess, whose source distribution has the Gaviota files of three pieces in data/gaviota. The file is
read by probe.py, so that no code of the program is involved."""
import argparse, os, random, sys
import chess, chess.gaviota

def load(path):
    # Run the definitions of probe.py without its main.
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "probe.py")
    with open(here) as file:
        source = file.read()
    names = {"__name__": "probe"}
    exec(compile(source.rsplit("\nmain()", 1)[0], here, "exec"), names)
    return names["Table"](path)

def board_of(pieces, turn):
    board = chess.Board(None)
    for (side, letter), square in pieces:
        board.set_piece_at(square, chess.Piece.from_symbol(letter if side == 0 else letter.lower()))
    board.turn = turn
    return board

def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("gaviota")
    parser.add_argument("--sample", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    table = load(args.file)
    pieces = [(side, letter) for side, letter, count, _ in table.groups for _ in range(count)]
    chooser, compared, longest = random.Random(args.seed), 0, 0
    with chess.gaviota.open_tablebase(args.gaviota) as known:
        while compared < args.sample:
            squares = chooser.sample(range(64), len(pieces))
            placed, turn = list(zip(pieces, squares)), chooser.random() < 0.5
            board = board_of(placed, turn)
            if not board.is_valid() or board.is_stalemate():
                continue
            value, distance = table.probe([(s, l, q) for (s, l), q in placed], int(not turn))
            expected = known.probe_dtm(board)
            found = {"win": 1, "draw": 0, "loss": -1}[value] * (distance or 0)
            mated = board.is_checkmate()
            if (value == "loss" and distance == 0) != mated or (not mated and found != expected):
                sys.exit(f"{board.fen()}: the table says {value} {distance}, Gaviota {expected}")
            compared, longest = compared + 1, max(longest, abs(expected))
    print(f"{compared} positions agree, the longest win takes {longest} plies")

main()
