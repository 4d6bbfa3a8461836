"""What the tests share: the program, engines that are talked to, and ears for what python-chess complains of."""

import json
import logging
import os
import pathlib
import subprocess

import chess
import chess.engine
import pytest

JEWEL = os.environ["JEWEL"]
ROOT = pathlib.Path(__file__).resolve().parents[3]


def jewel(*arguments, stdin="", code=0):
    """What a command line of the program prints."""
    done = subprocess.run([JEWEL, *arguments], input=stdin, capture_output=True, text=True, timeout=120)
    assert done.returncode == code, f"{arguments}: {done.returncode}: {done.stderr}"
    return done.stdout


def jewel_json(*arguments, **more):
    """The object that a command prints with --json."""
    return json.loads(jewel(*arguments, "--json", **more))


class Complaints(logging.Handler):
    """Keeps what python-chess warns of."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.lines = []

    def emit(self, record):
        self.lines.append(record.getMessage())


@pytest.fixture(autouse=True)
def complaints():
    """A test fails where python-chess had to warn of what the engine said."""
    handler = Complaints()
    chess.engine.LOGGER.addHandler(handler)
    yield handler.lines
    chess.engine.LOGGER.removeHandler(handler)
    assert handler.lines == []


def start(*arguments):
    return chess.engine.SimpleEngine.popen_uci([JEWEL, "uci", *arguments], timeout=20)


@pytest.fixture
def engine():
    """A session that plays chess, on one thread with a small table."""
    engine = start()
    engine.configure({"Hash": 4})
    yield engine
    engine.quit()
    assert engine.protocol.returncode.result() == 0
