#!/usr/bin/env python3
"""Imports every section of a variants.ini and compares perft with Fairy-Stockfish, which defines the format.

    tools/check-import.py FILE.ini PATH/TO/jewel [--depth N] [--limit NODES] [--games N] [--deep N]
                          [--only NAME] [--bases FILE]

Needs the Python package pyffish. Sections on boards of more than 64 squares are only listed. For each other
section that `jewel variant import` accepts, both programs count the move sequences from the start to depth N
(default 3), as long as a count stays below LIMIT nodes (default 60000, since pyffish is slow). Along random games
(default 3, seeded by the name of the section, at most 80 moves) they also count perft 2 of every twentieth position
and judge the games that end. With --deep N, they count from N random positions as from the start. With --bases FILE, the built-in variants that FILE (engine/src/interchange/bases.ini)
describes are checked instead, by their names. Prints tables in Markdown; the exit code is 1 if anything differs.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile


def quietly_import_pyffish():
    """Imports pyffish with stderr closed, on which it prints remarks about variants."""
    sys.stderr.flush()
    kept = os.dup(2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    import pyffish

    return pyffish, kept


def squares(fen):
    """The numbers of files and ranks of a position string."""
    ranks = fen.split()[0].split("[")[0].split("/")
    cells = re.findall(r"\d+|\+?[A-Za-z]~?|\*", ranks[0])
    return sum(int(cell) if cell.isdigit() else 1 for cell in cells), len(ranks)


def perft(pyffish, name, fen, depth, moves=()):
    legal = pyffish.legal_moves(name, fen, list(moves))
    if depth == 1:
        return len(legal)
    return sum(perft(pyffish, name, fen, depth - 1, (*moves, move)) for move in legal)


def theirs(pyffish, name, fen, depth, limit, moves=()):
    """Perft by pyffish for depths 1, 2, ... until the next count would be larger than `limit`."""
    counts = []
    while len(counts) < depth:
        counts.append(perft(pyffish, name, fen, len(counts) + 1, moves))
        growth = counts[-1] / counts[-2] if len(counts) > 1 and counts[-2] else counts[-1]
        if counts[-1] == 0 or counts[-1] * growth > limit:
            break
    return counts


def run(command):
    return subprocess.run(command, capture_output=True, text=True)


def ours(jewel, file, name, depths, folder):
    """Perft by jewel, or None and the reasons why it does not import the section."""
    told = json.loads(run([jewel, "variant", "import", file, name, "--explain", "--json"]).stdout or "{}")
    if not told.get("imports"):
        reasons = [f"{loss['key']} = {loss['value']}" for loss in told.get("losses", [])]
        return None, list(dict.fromkeys(reasons))
    target = os.path.join(folder, name + ".toml")
    wrote = run([jewel, "variant", "import", file, name, "-o", target])
    if wrote.returncode:
        return None, [wrote.stderr.strip()]
    counts = []
    for depth in range(1, depths + 1):
        told = run([jewel, "perft", "--variant", target, str(depth), "--json", "--threads", "1"])
        counts.append(json.loads(told.stdout)["nodes"])
    return counts, []


def nodes(jewel, target, depth, moves):
    command = [jewel, "perft", "--variant", target, str(depth), "--moves", " ".join(moves), "--json"]
    told = run(command + ["--threads", "1"])
    return json.loads(told.stdout)["nodes"] if told.returncode == 0 else told.stderr.strip()


def result(pyffish, name, fen, moves):
    """The result of a finished game for the side to move."""
    over, value = pyffish.is_immediate_game_end(name, fen, moves)
    if not over:
        value = pyffish.game_result(name, fen, moves)
    return "win" if value > 0 else "loss" if value < 0 else "draw"


def games(pyffish, jewel, name, fen, target, count):
    """The numbers of positions and finished games compared, and the first difference, if any."""
    chance = random.Random(name)
    positions = ends = 0
    for _ in range(count):
        moves = []
        while len(moves) <= 80:
            legal = pyffish.legal_moves(name, fen, moves)
            if not legal:
                break
            if len(moves) % 20 == 0 and moves:
                there, here = perft(pyffish, name, fen, 2, tuple(moves)), nodes(jewel, target, 2, moves)
                positions += 1
                if there != here:
                    return positions, ends, f"perft 2 after {' '.join(moves)}: {there} there, {here} here"
            moves.append(chance.choice(sorted(legal)))
        if not pyffish.legal_moves(name, fen, moves):
            told = run([jewel, "moves", "--variant", target, "--moves", " ".join(moves), "--json"])
            here = json.loads(told.stdout)["outcome"] if told.returncode == 0 else told.stderr.strip()
            there = result(pyffish, name, fen, moves)
            ends += 1
            if here != there:
                return positions, ends, f"end after {' '.join(moves)}: {there} there, {here} here"
    return positions, ends, None


def deep(pyffish, jewel, name, fen, target, options):
    """Perft from random positions: the first difference, if any."""
    chance = random.Random(f"deep {name}")
    for _ in range(options.deep):
        moves = []
        for _ in range(chance.choice([6, 10, 20, 30, 40])):
            legal = pyffish.legal_moves(name, fen, moves)
            if not legal:
                moves.pop()
                break
            moves.append(chance.choice(sorted(legal)))
        peer = theirs(pyffish, name, fen, options.depth, options.limit, tuple(moves))
        for depth, there in enumerate(peer, 1):
            here = nodes(jewel, target, depth, moves)
            if there != here:
                return f"perft {depth} after {' '.join(moves)}: {there} there, {here} here"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("jewel")
    parser.add_argument("--depth", type=int, default=3)
    parser.add_argument("--limit", type=int, default=60000)
    parser.add_argument("--games", type=int, default=3)
    parser.add_argument("--deep", type=int, default=0)
    parser.add_argument("--only")
    parser.add_argument("--bases", help="file of built-in variants, as sections", metavar="FILE")
    options = parser.parse_args()
    pyffish, _ = quietly_import_pyffish()
    text = open(options.file, encoding="utf-8").read()
    pyffish.load_variant_config(text)
    known = set(pyffish.variants())
    names = [m[1].strip() for m in re.finditer(r"^\[([^:\]]+)", text, re.M)]
    with tempfile.TemporaryDirectory() as folder:
        file = options.file
        if options.bases:
            names = [m[1].strip() for m in re.finditer(r"^\[([^:\]]+)", open(options.bases).read(), re.M)]
            names = [name for name in names if name in known]
            file = os.path.join(folder, "bases.ini")
            with open(file, "w", encoding="utf-8") as out:
                out.writelines(f"[x-{name}:{name}]\n" for name in names)
        check(options, pyffish, names, file, folder)


def check(options, pyffish, names, file, folder):
    small, large, refused, agreeing, differing = [], [], [], [], []
    rows = []
    for name in names:
        if options.only and name != options.only:
            continue
        fen = pyffish.start_fen(name)
        width, height = squares(fen)
        if width * height > 64:
            large.append(name)
            continue
        small.append(name)
        section = f"x-{name}" if options.bases else name
        counts, why = ours(options.jewel, file, section, 1, folder)
        if counts is None:
            refused.append((name, f"{width}x{height}", why))
            continue
        peer = theirs(pyffish, name, fen, options.depth, options.limit)
        counts, _ = ours(options.jewel, file, section, len(peer), folder)
        target = os.path.join(folder, section + ".toml")
        positions, ends, problem = games(pyffish, options.jewel, name, fen, target, options.games)
        problem = problem or deep(pyffish, options.jewel, name, fen, target, options)
        if counts != peer:
            problem = f"{peer} there, {counts} here"
        (differing if problem else agreeing).append(name)
        verdict = f"**differ**: {problem}" if problem else "equal"
        rows.append(f"| {name} | {width}x{height} | {len(peer)} | {counts[-1]} | {positions} | {ends} | {verdict} |")
    print(f"{len(small) + len(large)} sections, {len(small)} of them on at most 64 squares; {len(rows)} import,")
    print(f"{len(agreeing)} without a difference, {len(differing)} with one.\n")
    print("| variant | board | depth | nodes | positions | ends | compared |\n|---|---|---|---|---|---|---|")
    print("\n".join(rows))
    print("\n| refused | board | because of |\n|---|---|---|")
    for name, board, why in refused:
        print(f"| {name} | {board} | {'; '.join(f'`{reason}`' for reason in why)} |")
    print(f"\nOn more than 64 squares: {', '.join(large) or 'none'}.")
    sys.exit(1 if differing else 0)


if __name__ == "__main__":
    main()
