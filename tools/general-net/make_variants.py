#!/usr/bin/env python3
"""Makes up variants at random, relatives of chess that nobody plays, for the network for every game to be trained on.

    tools/general-net/make_variants.py FIRST LAST FOLDER

Writes FOLDER/kin-N.toml for each number N from FIRST to LAST. A file follows from its number alone. Some are refused by
`jewel show --variant`, since a start position may have a royal piece in check: leave those out.
"""

import os
import random
import re
import sys

# Letters and moves. Usual pieces are there several times.
PIECES = [("N", "N"), ("B", "B"), ("R", "R"), ("Q", "Q")] * 5 + [
    ("A", "NB"), ("C", "NR"), ("X", "QN"), ("M", "K"), ("F", "F"), ("W", "W"), ("H", "FD"), ("D", "WD"), ("E", "FA"),
    ("L", "C"), ("Z", "Z"), ("S", "FfW"), ("G", "WfF"), ("T", "R2"), ("U", "BW"), ("V", "RF"), ("I", "NN"), ("J", "KN"),
    ("O", "mBcR"), ("Y", "mRcB"), ("AA", "mNcB"), ("BB", "mNcR"), ("CC", "mBcN"), ("DD", "mRcN"), ("EE", "KA"), ("FF", "KD"),
    ("GG", "WA"), ("HH", "NW"), ("II", "NF"), ("JJ", "fRbFsW"), ("KK", "fBbW"), ("LL", "B3"), ("MM", "R3"), ("NN", "AD"),
    ("OO", "ND"), ("PP", "NC"), ("QQ", "fNbFbW"), ("RR", "mQcN"), ("SS", "mNcQ"), ("TT", "mKcR"), ("UU", "K"), ("VV", "nNW"),
]
# Pawns, and how often.
PAWNS = {"mfWcfFimfnD": 8, "mfWcfF": 6, "mfFcfW": 2, "mfFcfF": 1, "fW": 1, "fWfF": 1, "mfWcfFsW": 1, "mfWcfK": 1, "mfWmbWcfF": 1}
ROYALS = {"K": 24, "KN": 2, "N": 2, "W": 1, "F": 1, "KD": 1, "KA": 1, "Q2": 1}
SIZES = {(4, 5): 3, (4, 6): 2, (5, 5): 4, (5, 6): 4, (5, 7): 1, (6, 6): 6, (6, 7): 1, (6, 8): 1, (7, 6): 1, (7, 7): 3, (7, 8): 1,
         (8, 6): 1, (8, 7): 1, (8, 8): 22}
LETTERS = "NBRQACXMFWHDELZSGTUVIJOY"


def choose(dice, weighted):
    return dice.choices(list(weighted), list(weighted.values()))[0]


def army(dice, types, width, mirrored):
    """The back rank, but for the royal piece."""
    back = [dice.choice(types) for _ in range(width)]
    if mirrored:
        for file in range(width // 2):
            back[width - 1 - file] = back[file]
    return back


def variant(number):
    dice = random.Random(number)
    width, height = choose(dice, SIZES)
    pieces = {}
    while len(pieces) < dice.choice([2, 3, 3, 4, 4, 5]) + (width == 8):
        name, moves = dice.choice(PIECES)
        if moves not in pieces.values():
            free = [letter for letter in LETTERS if letter not in pieces]
            pieces[name if name in free else dice.choice(free)] = moves
    mirrored = dice.random() < 0.6
    royal_at = dice.choice([width // 2, width // 2, (width - 1) // 2, dice.randrange(width)])
    two_armies = dice.random() < 0.2
    types = list(pieces)
    if two_armies and len(types) >= 4:
        half = len(types) // 2
        backs = [army(dice, types[:half], width, mirrored), army(dice, types[half:], width, mirrored)]
    else:
        two_armies = False
        backs = [army(dice, types, width, mirrored)] * 2
    pawn = choose(dice, PAWNS)
    has_pawns = dice.random() < 0.93
    if pawn.endswith("D") and height < 6:
        pawn = "mfWcfF"
    castling = width == 8 and dice.random() < 0.5 and height == 8
    backs = [list(back) for back in backs]
    if castling:
        rook = next((letter for letter, moves in pieces.items() if moves == "R"), types[0])
        royal_at = 4
        for back in backs:
            back[0] = back[7] = rook
    for back in backs:
        back[royal_at] = "K"
        # Now and then fewer pieces, of which few moves reach the enemy at once.
        for file in range(width):
            if back[file] != "K" and not castling and dice.random() < 0.06:
                back[file] = "1"
    turned = not castling and dice.random() < 0.15
    black = backs[1][::-1] if turned else backs[1]
    rows = ["".join(black).lower()]
    if has_pawns:
        rows += ["p" * width] + [str(width)] * (height - 4) + ["P" * width]
    else:
        rows += [str(width)] * (height - 2)
    rows.append("".join(backs[0]))
    rows = [re.sub("1+", lambda empty: str(len(empty.group())), row) for row in rows]
    royal = "K" if castling else choose(dice, ROYALS)
    hand = dice.random() < 0.1
    hill = dice.random() < 0.12
    text = [f'id = "kin-{number}"', f'name = "Kin {number}"', "", "[board]", f'size = "{width}x{height}"']
    rights = "KQkq" if castling else "-"
    text += [f'start = "{"/".join(rows)}{"[]" if hand else ""} w {rights} - 0 1"']
    if has_pawns:
        to = types if two_armies or dice.random() < 0.8 else [max(types, key=lambda letter: len(pieces[letter]))]
        zone = f'zone = {{ w = ["rank {height}"], b = ["rank 1"] }}, to = "{"".join(to)}"'
        text += ["", "[[piece]]", 'letter = "P"', f'moves = "{pawn}"', f"promotion = {{ {zone} }}"]
        if pawn.endswith("D"):
            text += ["en-passant = true", f'initial = {{ w = ["rank 2"], b = ["rank {height - 1}"] }}']
    for letter, moves in pieces.items():
        text += ["", "[[piece]]", f'letter = "{letter}"', f'moves = "{moves}"']
    text += ["", "[[piece]]", 'letter = "K"', f'moves = "{royal}"', "royal = true"]
    if castling:
        for right, rank in (("K", 1), ("k", 8)):
            text += ["", "[[castling]]", f'right = "{right}"', f'king = ["e{rank}", "g{rank}"]']
            text += [f'rook = ["h{rank}", "f{rank}"]', f'rook-piece = "{rook}"']
        for right, rank in (("Q", 1), ("q", 8)):
            text += ["", "[[castling]]", f'right = "{right}"', f'king = ["e{rank}", "c{rank}"]']
            text += [f'rook = ["a{rank}", "d{rank}"]', f'rook-piece = "{rook}"']
    if hand:
        text += ["", "[hand]"]
    if hill:
        files = sorted({(width - 1) // 2, width // 2})
        ranks = sorted({(height - 1) // 2, height // 2})
        squares = ", ".join(f'"{"abcdefgh"[file]}{rank + 1}"' for file in files for rank in ranks)
        if dice.random() < 0.6:
            text += ["", "[key]", f"squares = [{squares}]"]
        else:
            text += ["", "[key]", f'goals = {{ w = ["rank {height}"], b = ["rank 1"] }}']
        text += ['objective = "reach"', 'eligible = "K"']
    if dice.random() < 0.2:
        text += ["", "[end]", f'stalemate = "{dice.choice(["loss", "win"])}"']
    text += ["", "[draw]", "n-move = 50", ""]
    return "\n".join(text)


def main():
    first, last, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    os.makedirs(folder, exist_ok=True)
    for number in range(first, last + 1):
        with open(os.path.join(folder, f"kin-{number}.toml"), "w") as file:
            file.write(variant(number))


main()
