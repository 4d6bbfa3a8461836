#!/usr/bin/env python3
"""Makes up variants at random, relatives of chess that nobody plays, for the network for every game to be trained on.

    tools/general-net/make_variants.py kin|cousin|house|shogi FIRST LAST FOLDER

Writes FOLDER/kin-N.toml, or cousin-N.toml and so on, for each number N from FIRST to LAST. Kin have any pieces; cousins are chess,
or a usual army on a smaller board, with at most two types of pieces replaced. Houses are cousins in which captured pieces come back
from hands, and shogis are relatives of shogi. A file follows from its number alone. `jewel show
--variant` refuses some, since a start position may have a royal piece in check: leave those out. Leave out, too, cousins that
are a variant that is held back (docs/results/any-variant.md), such as the first 5x6 board with the usual army.
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
SMALL_SIZES = {(4, 5): 2, (4, 6): 2, (5, 5): 5, (5, 6): 4, (6, 6): 8, (6, 7): 1, (7, 7): 2, (5, 8): 1, (6, 8): 1}
ARRAYS = {4: "RNQK", 5: "RNBQK", 6: "RNQKNR", 7: "RNBKQBR", 8: "RNBQKBNR"}
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


def castling(rook):
    """Castling as in chess, with a piece of this letter in place of the rook."""
    text = []
    for side, king, rook_from, rook_to in (("K", "g", "h", "f"), ("Q", "c", "a", "d")):
        for right, rank in ((side, 1), (side.lower(), 8)):
            text += ["", "[[castling]]", f'right = "{right}"', f'king = ["e{rank}", "{king}{rank}"]']
            text += [f'rook = ["{rook_from}{rank}", "{rook_to}{rank}"]', f'rook-piece = "{rook}"']
    return text


def hill(width, height, in_the_middle):
    """A key that the royal piece wins by reaching: the middle of the board, or the last rank."""
    if in_the_middle:
        files, ranks = sorted({(width - 1) // 2, width // 2}), sorted({(height - 1) // 2, height // 2})
        squares = ", ".join(f'"{"abcdefgh"[file]}{rank + 1}"' for file in files for rank in ranks)
        where = f"squares = [{squares}]"
    else:
        where = f'goals = {{ w = ["rank {height}"], b = ["rank 1"] }}'
    return ["", "[key]", where, 'objective = "reach"', 'eligible = "K"']


def pawns(moves, height, to):
    """The pawns, and what they promote to."""
    zone = f'zone = {{ w = ["rank {height}"], b = ["rank 1"] }}, to = "{"".join(to)}"'
    text = ["", "[[piece]]", 'letter = "P"', f'moves = "{moves}"', f"promotion = {{ {zone} }}"]
    if moves.endswith("D"):
        text += ["en-passant = true", f'initial = {{ w = ["rank 2"], b = ["rank {height - 1}"] }}']
    return text


def types_and_royal(pieces, royal):
    text = []
    for letter, moves in pieces.items():
        text += ["", "[[piece]]", f'letter = "{letter}"', f'moves = "{moves}"']
    return text + ["", "[[piece]]", 'letter = "K"', f'moves = "{royal}"', "royal = true"]


def head(kind, number, width, height, start):
    text = [f'id = "{kind}-{number}"', f'name = "{kind.capitalize()} {number}"', ""]
    return text + ["[board]", f'size = "{width}x{height}"', f'start = "{start} - 0 1"']


def stalemate(dice):
    return ["", "[end]", f'stalemate = "{dice.choice(["loss", "win"])}"']


END = ["", "[draw]", "n-move = 50", ""]


def kin(number):
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
    castles = width == 8 and dice.random() < 0.5 and height == 8
    backs = [list(back) for back in backs]
    if castles:
        rook = next((letter for letter, moves in pieces.items() if moves == "R"), types[0])
        royal_at = 4
        for back in backs:
            back[0] = back[7] = rook
    for back in backs:
        back[royal_at] = "K"
        # Now and then fewer pieces, of which few moves reach the enemy at once.
        for file in range(width):
            if back[file] != "K" and not castles and dice.random() < 0.06:
                back[file] = "1"
    turned = not castles and dice.random() < 0.15
    black = backs[1][::-1] if turned else backs[1]
    rows = ["".join(black).lower()]
    if has_pawns:
        rows += ["p" * width] + [str(width)] * (height - 4) + ["P" * width]
    else:
        rows += [str(width)] * (height - 2)
    rows.append("".join(backs[0]))
    rows = [re.sub("1+", lambda empty: str(len(empty.group())), row) for row in rows]
    royal = "K" if castles else choose(dice, ROYALS)
    hand, has_hill = dice.random() < 0.1, dice.random() < 0.12
    start = f'{"/".join(rows)}{"[]" if hand else ""} w {"KQkq" if castles else "-"}'
    text = head("kin", number, width, height, start)
    if has_pawns:
        all_types = two_armies or dice.random() < 0.8
        text += pawns(pawn, height, types if all_types else [max(types, key=lambda letter: len(pieces[letter]))])
    text += types_and_royal(pieces, royal)
    if castles:
        text += castling(rook)
    if hand:
        text += ["", "[hand]"]
    if has_hill:
        text += hill(width, height, dice.random() < 0.6)
    if dice.random() < 0.2:
        text += stalemate(dice)
    return "\n".join(text + END)


def cousin(number):
    """A closer relative: chess, or a usual army on a smaller board, with at most two types of pieces replaced."""
    dice = random.Random(number * 7919)
    large = dice.random() < 0.62
    width, height = (8, 8) if large else choose(dice, SMALL_SIZES)
    back = ARRAYS[width] if dice.random() < 0.6 else None
    changes = dice.choice([0, 1, 1, 1, 2, 2] if large else [0, 0, 1, 1, 2])
    castles = large and back is not None and dice.random() < 0.75
    pieces = {"N": "N", "B": "B", "R": "R", "Q": "Q"}
    for letter in dice.sample(sorted(pieces), changes):
        if letter == "R" and castles and dice.random() < 0.7:
            letter = "N"
        pieces[letter] = dice.choice([moves for _, moves in PIECES if moves not in pieces.values()])
    if back is None:
        royal_at = dice.choice([width // 2, width // 2, (width - 1) // 2, dice.randrange(width)])
        line = [dice.choice("NNBBRRQ") for _ in range(width)]
        if line.count("Q") > 1:
            line = ["R" if letter == "Q" and dice.random() < 0.7 else letter for letter in line]
        line[royal_at] = "K"
        back = "".join(line)
    pieces = {letter: moves for letter, moves in pieces.items() if letter in back or letter == "Q"}
    turned = not castles and dice.random() < 0.12
    pawn = choose(dice, {"mfWcfFimfnD": 12, "mfWcfF": 3} if large else {"mfWcfF": 10, "mfWcfFimfnD": 2})
    if dice.random() < 0.06:
        pawn = choose(dice, PAWNS)
    if pawn.endswith("D") and height < 6:
        pawn = "mfWcfF"
    rows = [(back[::-1] if turned else back).lower(), "p" * width] + [str(width)] * (height - 4) + ["P" * width, back]
    royal = "K" if castles or dice.random() < 0.85 else choose(dice, {"KN": 2, "W": 1, "KD": 1, "KA": 1, "Q2": 1})
    has_hill = dice.random() < 0.08
    text = head("cousin", number, width, height, f'{"/".join(rows)} w {"KQkq" if castles else "-"}')
    text += pawns(pawn, height, pieces) + types_and_royal(pieces, royal)
    if castles:
        text += castling("R")
    if has_hill:
        text += hill(width, height, dice.random() < 0.5)
    if dice.random() < 0.06:
        text += stalemate(dice)
    return "\n".join(text + END)


def house(number):
    """A cousin with hands. In two of three, a promoted piece is a pawn again when it has been captured."""
    dice = random.Random(number * 104729)
    text = cousin(1000 + number).replace("cousin-", "house-", 1).replace("Cousin", "House", 1)
    text = re.sub(r'(start = "[^ ]*)', r"\1[]", text, count=1)
    width, height = (int(n) for n in re.search(r'size = "(\d+)x(\d+)"', text).groups())
    if dice.random() < 0.65:
        moves = dict(re.findall(r'letter = "(\w)"\nmoves = "(\w+)"', text))
        to = re.search(r'to = "(\w+)"', text).group(1)
        text = text.replace(f'to = "{to}"', 'to = "' + "".join(letter + "~" for letter in to) + '"')
        marked = [f'\n[[piece]]\nletter = "{letter}~"\nmoves = "{moves[letter]}"\nin-hand = "P"\n' for letter in to]
        text = text.replace("\n[[piece]]\nletter = \"K\"", "".join(marked) + "\n[[piece]]\nletter = \"K\"")
    if dice.random() < 0.85:
        ranks = ", ".join(f'"rank {rank}"' for rank in range(2, height))
        zone = f"drop = {{ zone = {{ w = [{ranks}], b = [{ranks}] }} }}"
        text = re.sub(r'(letter = "P"\nmoves = "\w+")', rf"\1\n{zone}", text)
    return text + '\n[hand]\ncaptures = "captor"\n'


# Pieces of shogi and its relatives, what they become, and how often. Nothing where they do not promote.
SHOGI = [("S", "FfW", "WfF")] * 5 + [("G", "WfF", "")] * 6 + [("B", "B", "BW")] * 4 + [("R", "R", "RF")] * 4 + [("N", "ffN", "WfF")] * 3 + [
    ("L", "fR", "WfF"), ("L", "fR", "WfF"), ("C", "FfW", "R"), ("D", "WfF", "B"), ("E", "F", "K"), ("H", "W", "K"), ("M", "K", ""),
    ("T", "N", "K"), ("U", "FsfW", ""), ("V", "FvW", "WfF"), ("W", "fAbD", ""), ("X", "bFfD", "K"), ("Y", "R2", "R"), ("Z", "B2", "B"),
    ("A", "FD", "BW"), ("F", "WA", "RF"), ("I", "fRbFsW", "K"), ("J", "fBbW", "BW")]
SHOGI_SIZES = {(3, 4): 1, (4, 4): 1, (4, 5): 3, (5, 5): 8, (5, 6): 5, (6, 6): 5, (7, 7): 3, (8, 8): 6, (6, 7): 1, (5, 7): 1}


def shogi(number):
    dice = random.Random(number * 15485863)
    width, height = choose(dice, SHOGI_SIZES)
    pieces = {}
    while len(pieces) < min(width, dice.choice([3, 4, 4, 5, 5, 6])) - (width < 5):
        letter, moves, promoted = dice.choice(SHOGI)
        pieces.setdefault(letter, (moves, promoted))
    back = [dice.choice(list(pieces)) for _ in range(width)]
    if dice.random() < 0.5 and width > 4:
        for file in range(width // 2):
            back[width - 1 - file] = back[file]
    back[dice.choice([0, width - 1, width // 2, width // 2, (width - 1) // 2])] = "K"
    mine, pawns_on = [back], dice.random()
    if height > 6 and dice.random() < 0.7:
        # Two pieces between the back rank and the pawns.
        second = ["1"] * width
        for file in dice.sample(range(width), 2):
            second[file] = dice.choice(list(pieces))
        mine.append(second)
    if pawns_on < 0.6:
        mine.append(["P"] * width)
    elif pawns_on < 0.75:
        mine.append([dice.choice("P1") for _ in range(width)])
    else:
        mine.append(["P" if letter == "K" else "1" for letter in back])
    rows = ["".join(row)[::-1].lower() for row in mine] + ["1" * width] * (height - 2 * len(mine)) + ["".join(row) for row in mine[::-1]]
    rows = [re.sub("1+", lambda empty: str(len(empty.group())), row) for row in rows]
    text = head("shogi", number, width, height, f'{"/".join(rows)}[] w -')
    depth = 1 if height < 6 else dice.choice([1, 2, 2, height // 3])
    ranks = lambda first, last: ", ".join(f'"rank {rank}"' for rank in range(first, last + 1))
    zone = f"zone = {{ w = [{ranks(height - depth + 1, height)}], b = [{ranks(1, depth)}] }}"
    per_file = dice.random() < 0.75
    rest = f"zone = {{ w = [{ranks(1, height - 1)}], b = [{ranks(2, height)}] }}"
    text += ["", "[[piece]]", 'letter = "P"', 'moves = "fW"']
    text += [f'promotion = {{ {zone}, to = "+P", optional = true, forced = {{ w = ["rank {height}"], b = ["rank 1"] }} }}']
    text += [f'drop = {{ {rest}{", per-file = 1, mate = false" if per_file else ""} }}']
    promoted = [("P", "WfF")]
    for letter, (moves, to) in pieces.items():
        text += ["", "[[piece]]", f'letter = "{letter}"', f'moves = "{moves}"']
        if to:
            promoted.append((letter, to))
            steps = {"fR": 1, "ffN": 2}.get(moves, 0)
            must = min(steps, depth)
            how = f"forced = {{ w = [{ranks(height - must + 1, height)}], b = [{ranks(1, must)}] }}" if steps else "leaving = true"
            text += [f'promotion = {{ {zone}, to = "+{letter}", optional = true, {how} }}']
            if steps:
                text += [f"drop = {{ zone = {{ w = [{ranks(1, height - steps)}], b = [{ranks(steps + 1, height)}] }} }}"]
    text += ["", "[[piece]]", 'letter = "K"', 'moves = "K"', "royal = true"]
    for letter, moves in promoted:
        text += ["", "[[piece]]", f'letter = "+{letter}"', f'moves = "{moves}"']
    text += ["", "[hand]", 'captures = "captor"']
    return "\n".join(text + ["", "[end]", 'stalemate = "loss"', "", "[draw]", "repetition = 4", ""])


def main():
    kinds = {"kin": kin, "cousin": cousin, "house": house, "shogi": shogi}
    make, first, last, folder = kinds[sys.argv[1]], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    os.makedirs(folder, exist_ok=True)
    for number in range(first, last + 1):
        with open(os.path.join(folder, f"{sys.argv[1]}-{number}.toml"), "w") as file:
            file.write(make(number))


main()
