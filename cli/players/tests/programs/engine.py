"""An engine that behaves as it is told: engine.py BEHAVIOUR MOVE... (the moves that it plays, in turn).

Every line that it reads goes to its stderr. Its name is "fake" with the number of its process.
"""

import os
import signal
import sys
import time

behaviour, moves = sys.argv[1], sys.argv[2:]


def say(*lines):
    sys.stdout.write("".join(line + "\n" for line in lines))
    sys.stdout.flush()


def hang():
    while True:
        time.sleep(60)


def greet(word):
    say(f"id name fake {os.getpid()}", "id author nobody")
    say("option name Threads type spin default 1 min 1 max 9")
    say("option name Skill Level type spin default 5 min 0 max 9")
    if behaviour == "variants":
        known = " var duel" if read_variants else ""
        say(f"option name UCI_Variant type combo default chess var chess{known}")
        say("option name VariantPath type string default <empty>")
    say(word)


def go():
    if behaviour == "illegal":
        say("bestmove a1a9")
    elif behaviour == "none":
        say("bestmove (none)")
    elif behaviour == "resigns":
        say("bestmove resign")
    elif behaviour == "dies":
        sys.stderr.write("out of ideas\n")
        sys.exit(3)
    elif behaviour == "crashes":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif behaviour == "shuts-stdout":
        os.close(1)
        hang()
    elif behaviour == "endless":
        while True:
            os.write(1, b"x" * 65536)
    elif behaviour == "floods":
        while True:
            os.write(1, b"info string and so on\n" * 1000)
    elif behaviour == "babbles":
        say("\x1b[31m\xff", "info depth", "info score cp", "info depth -1 score mate x nodes 99999999999999999999999")
        say("bestmove")
    elif behaviour in ("deaf-to-stop", "stoppable"):
        pass
    else:
        if behaviour == "talks":
            say("info depth 1 multipv 2 score cp -900 nodes 1 pv zz", "info currmove a1a2")
            say("info depth 3 seldepth 5 multipv 1 score cp 34 upperbound nodes 120 time 7 hashfull 3 pv c1b1 a3b3")
            say("info depth 4 score mate 2 nodes 500 time 9 tbhits 1 pv c1b1 b3 {bad}", "info nodes 600")
        say(f"bestmove {moves.pop(0)} ponder a1a2")
        if behaviour == "twice":
            say("bestmove a1a9")


read_variants = False
if behaviour == "hangs-at-start":
    hang()
if behaviour == "dies-at-start":
    sys.stderr.write("no\nlicence\x07 found\n")
    sys.exit(7)
if behaviour == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
while True:
    line = sys.stdin.readline()
    if not line:
        if behaviour == "stubborn":
            hang()
        break
    sys.stderr.write(line)
    sys.stderr.flush()
    word = line.split()[0] if line.split() else ""
    if behaviour == "mute":
        continue
    if behaviour == "garbage":
        say("?!\xff", "uciok!")
        continue
    if word in ("uci", "ugi"):
        greet(word + "ok")
    elif word == "setoption" and "VariantPath" in line:
        read_variants = True
    elif word == "isready":
        if behaviour == "never-ready":
            continue
        say("readyok")
        if behaviour == "stops-reading":
            hang()
    elif word == "query":
        say("response false")
    elif word == "go":
        go()
    elif word == "stop" and behaviour == "stoppable":
        say("bestmove " + moves.pop(0))
    elif word == "quit" and behaviour != "stubborn":
        break
