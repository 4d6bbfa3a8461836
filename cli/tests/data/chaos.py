"""An engine for Duel that behaves well or badly by chance: chaos.py LOG.

What it does is appended to the log, a word a line, after the number of its process.
"""

import os
import random
import signal
import sys
import time

log = open(sys.argv[1], "a")


def note(word):
    log.write(word + "\n")
    log.flush()


note(str(os.getpid()))


def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def hang():
    while True:
        time.sleep(60)


def legal(words):
    """The legal moves after `position fen BOARD w - - 0 1 [moves ...]`: each piece steps or leaps up to two squares."""
    ranks = []
    for rank in words[2].split("/"):
        row = []
        for letter in rank:
            row += [None] * int(letter) if letter.isdigit() else [letter]
        ranks.insert(0, row)
    board = {(file, rank): piece for rank, row in enumerate(ranks) for file, piece in enumerate(row) if piece}
    white = words[3] == "w"
    square = lambda text: (ord(text[0]) - 97, int(text[1]) - 1)
    for move in words[words.index("moves") + 1 :] if "moves" in words else []:
        board[square(move[2:])] = board.pop(square(move[:2]))
        white = not white
    size = len(ranks)
    moves = []
    for (file, rank), piece in board.items():
        if piece.isupper() != white:
            continue
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1), (2, 0), (-2, 0), (0, 2), (0, -2)):
            to = (file + dx, rank + dy)
            if not (0 <= to[0] < size and 0 <= to[1] < size):
                continue
            if to in board and board[to].isupper() == white:
                continue
            moves.append("abc"[file] + str(rank + 1) + "abc"[to[0]] + str(to[1] + 1))
    return moves


def good(move):
    say("info depth 3 score cp 12 nodes 40 pv " + move)
    say("bestmove " + move)


def crash(move):
    os.kill(os.getpid(), random.choice([signal.SIGSEGV, signal.SIGKILL, signal.SIGABRT]))


def leave(move):
    sys.exit(random.choice([0, 1, 3]))


def halt(move):
    hang()


def lie(move):
    say("info depth 99 score mate 1 nodes 1 pv a1a9 zz")
    say("info score cp 99999999999999999999 nodes -4 depth x")
    good(move)


def flood(move):
    for _ in range(2000):
        os.write(1, b"info string and so on\n" * 50)
    good(move)


def flood_without_end(move):
    while True:
        os.write(1, b"info string and so on\n" * 50)


def one_endless_line(move):
    while True:
        os.write(1, b"x" * 65536)


def garbage(move):
    os.write(1, os.urandom(5000))
    say("")
    good(move)


def garbage_alone(move):
    os.write(1, os.urandom(5000) + b"\n")
    hang()


def illegal(move):
    say("bestmove " + random.choice(["a1a1", "a1a9", "zz", "e2e4", "\x1b[2J", "bestmove", "0000", "(none)", ""]))


def resign(move):
    say("bestmove resign")


def twice(move):
    good(move)
    say("bestmove a1a9")


def half_a_line(move):
    sys.stdout.write("bestmove " + move)
    sys.stdout.flush()
    os._exit(0)


def deaf(move):
    os.close(0)
    good(move)
    hang()


def mute(move):
    os.close(1)
    hang()


def noisy(move):
    os.write(2, b"\x1b[31mtrouble\x07 \xff\n" * 20000)
    good(move)


def slow(move):
    time.sleep(0.05)
    good(move)


MANNERS = [crash, leave, halt, lie, flood, flood_without_end, one_endless_line, garbage, garbage_alone]
MANNERS += [illegal, resign, twice, half_a_line, deaf, mute, noisy, slow]
if random.random() < 0.2:
    # It never ends by itself.
    note("stubborn")
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    stubborn = True
else:
    stubborn = False
position = []
while True:
    line = sys.stdin.readline()
    if not line:
        if stubborn:
            hang()
        break
    words = line.split()
    word = words[0] if words else ""
    if word == "uci":
        say("id name chaos")
        say("option name UCI_Variant type combo default duel var duel")
        say("uciok")
    elif word == "isready":
        say("readyok")
    elif word == "position":
        position = words
    elif word == "go":
        manner = random.choice(MANNERS) if random.random() < 0.3 else good
        note(manner.__name__)
        manner(random.choice(legal(position)))
    elif word == "quit" and not stubborn:
        break
