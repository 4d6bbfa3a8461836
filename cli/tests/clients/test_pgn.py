"""Games go from `jewel` to python-chess and pgn-extract as PGN, and back."""

import io
import json
import os
import random
import re
import shutil
import subprocess

import chess
import chess.pgn
import pytest
from conftest import jewel, jewel_json

# Debian keeps it among the games, which are not on every path.
PGN_EXTRACT = shutil.which("pgn-extract", path=f"{os.environ['PATH']}:/usr/games")

# Positions with castling rights that only some programs understand, and one in which everything happens.
ARRANGEMENTS = """\
r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - id "kiwipete";
qnr1bkrb/pppp2pp/3np3/5p2/8/P2P2P1/NPP1PP1P/QN1RBKRB w GDg - id "rights by file";
bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w KQkq - id "X-FEN";
"""


def tournament(folder, *more):
    """The PGN of a tournament of chess and its records."""
    pgn, records = folder / "games.pgn", folder / "games.jsonl"
    player = ["--player", "ab,nodes=150,name=one", "--player", "ab,nodes=200,name=two"]
    ends = ["--adjudicate", "max_plies=120"]
    jewel("tournament", "chess", *player, *ends, "--pgn", str(pgn), "--records", str(records), *more)
    return pgn, [json.loads(line) for line in records.read_text().splitlines()]


@pytest.fixture(scope="module")
def usual(tmp_path_factory):
    return tournament(tmp_path_factory.mktemp("usual"), "--rounds", "4", "--openings", "random=6")


@pytest.fixture(scope="module")
def arranged(tmp_path_factory):
    folder = tmp_path_factory.mktemp("arranged")
    (folder / "book.epd").write_text(ARRANGEMENTS)
    book = f"book={folder / 'book.epd'},order=sequential"
    return tournament(folder, "--rounds", "3", "--openings", book)


def read(text):
    """The games of a PGN text, as python-chess reads them."""
    stream, games = io.StringIO(text), []
    while game := chess.pgn.read_game(stream):
        assert game.errors == []
        games.append(game)
    return games


def moves(game):
    board = game.board()
    texts = []
    for move in game.mainline_moves():
        texts.append(board.uci(move))
        board.push(move)
    return texts


def same_moves(game, record):
    """Castling is written in one of two ways."""
    board = game.board()
    for move, text in zip(game.mainline_moves(), record["moves"], strict=True):
        assert move == board.parse_uci(text)
        board.push(move)


@pytest.mark.parametrize("which", ["usual", "arranged"])
def test_python_chess_reads_our_games(which, request):
    pgn, records = request.getfixturevalue(which)
    games = read(pgn.read_text())
    assert len(games) == len(records) >= 6
    for game, record in zip(games, records):
        same_moves(game, record)
        assert game.headers["Result"] == record["result"]
        assert game.board().chess960 == (game.headers["Variant"] == "Chess960")
        # Comments of moves are read as those of fastchess: score, depth, time.
        assert all("n" in node.comment or node.comment == "book" for node in game.mainline())
    assert any(game.headers["Variant"] == "Chess960" for game in games) == (which == "arranged")


@pytest.mark.skipif(not PGN_EXTRACT, reason="pgn-extract is not installed")
@pytest.mark.parametrize("which", ["usual", "arranged"])
def test_pgn_extract_reads_our_games(which, request):
    pgn, records = request.getfixturevalue(which)
    done = subprocess.run([PGN_EXTRACT, "-Wlalg", "--nocomments", str(pgn)], capture_output=True, text=True)
    assert done.returncode == 0
    assert f"{len(records)} games matched out of {len(records)}." in done.stderr, done.stderr
    assert not re.search("Failed|Unknown|[Ee]rror|Missing", done.stderr), done.stderr
    texts = [part.replace("\n", " ").split() for part in done.stdout.split("\n\n")[1::2]]
    assert len(texts) == len(records)
    for words, record in zip(texts, records):
        plies = [word for word in words if not re.fullmatch(r"\d+\.+|1-0|0-1|1/2-1/2|\*", word)]
        assert len(plies) == len(record["moves"])


def as_book(folder, text, rounds):
    """The first moves of games that begin with the games of a PGN file."""
    (folder / "theirs.pgn").write_text(text)
    book = f"book={folder / 'theirs.pgn'},order=sequential"
    _, records = tournament(folder, "--rounds", str(rounds), "--openings", book)
    return [record["moves"][: record["book"]] for record in records[::2]], [r["start"] for r in records[::2]]


def annotated(game):
    """The game with what other programs add: comments, marks, variations."""
    for number, node in enumerate(list(game.mainline())):
        node.nags.add(number % 7 + 1)
        node.comment = f"[%eval 0.{number}] a (remark; with {number}..."
        others = [move for move in node.parent.board().legal_moves if move != node.move]
        if others:
            line = node.parent.add_variation(others[number % len(others)], comment="{or so")
            line.add_line(list(line.board().legal_moves)[:1])
    return game


def some_games():
    """Random games by python-chess, not too long, of chess and of Chess960."""
    source = random.Random(5)
    for number in [518, 518, 0, 400, 959]:
        board = chess.Board.from_chess960_pos(number)
        board.chess960 = number != 518
        for _ in range(30):
            castlings = [move for move in board.legal_moves if board.is_castling(move)]
            board.push(source.choice(castlings or list(board.legal_moves)))
        if board.is_game_over():
            continue
        game = chess.pgn.Game.from_board(board)
        if number != 518:
            game.headers["Variant"] = "Chess960"
        yield game


def test_we_read_what_python_chess_writes(tmp_path):
    games = [annotated(game) for game in some_games()]
    assert len(games) >= 4 and any("O-O" in str(game) for game in games)
    found, starts = as_book(tmp_path, "\n\n".join(map(str, games)) + "\n", len(games))
    for game, texts, start in zip(games, found, starts, strict=True):
        same_moves(game, {"moves": texts})
        assert game.board().board_fen() == start.split()[0]


@pytest.mark.skipif(not PGN_EXTRACT, reason="pgn-extract is not installed")
def test_we_read_what_pgn_extract_writes(tmp_path):
    games = [game for game in some_games() if "Variant" not in game.headers]
    (tmp_path / "in.pgn").write_text("\n\n".join(map(str, games)) + "\n")
    for style in ["-Wsan", "-Wlalg", "-Wuci"]:
        out = tmp_path / "out.pgn"
        subprocess.run([PGN_EXTRACT, "-s", style, "-o", str(out), str(tmp_path / "in.pgn")], check=True)
        folder = tmp_path / style
        folder.mkdir()
        found, _ = as_book(folder, out.read_text(), len(games))
        assert found == [moves(game) for game in games], style


def test_a_game_of_others_is_played_on(tmp_path):
    game = annotated(next(some_games()))
    (tmp_path / "theirs.pgn").write_text(str(game))
    people = ["--white", "human", "--black", "human"]
    record = jewel_json("play", "chess", *people, "--load", str(tmp_path / "theirs.pgn"), stdin="quit\n")
    assert record["moves"] == moves(game)
    saved = jewel("play", "chess", *people, "--load", str(tmp_path / "theirs.pgn"), stdin="quit\n")
    (again,) = read(saved[saved.index("[Variant") :])
    assert moves(again) == moves(game)
