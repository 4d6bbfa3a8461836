"""SAN as Fairy-Stockfish has it: of chess, Chess960, and of our own games as variants of its own."""

import os
import random

import chess
from conftest import ROOT, jewel, jewel_json


def quietly_import_pyffish():
    """It prints remarks about variants to stderr."""
    kept = os.dup(2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    import pyffish

    return pyffish, kept


pyffish, STDERR = quietly_import_pyffish()


def agree(name, arguments, fen, chess960=False):
    """The legal moves of a position in coordinates and in SAN, which must be Fairy-Stockfish's."""
    told = jewel_json("moves", *arguments, "--san", "--fen", fen)
    theirs = {mv: pyffish.get_san(name, fen, mv, chess960) for mv in pyffish.legal_moves(name, fen, [], chess960)}
    assert dict(zip(told["moves"], told["san"], strict=True)) == theirs, fen
    return told["moves"]


def walk(name, arguments, source, fen, plies, chess960=False):
    for _ in range(plies):
        legal = agree(name, arguments, fen, chess960)
        if not legal:
            return
        fen = pyffish.get_fen(name, fen, [source.choice(legal)], chess960)


def test_chess():
    for fen in [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        "3k4/8/8/8/4Q2Q/8/8/K3Q2Q b - - 0 1",
        "1k6/8/8/8/4Q2Q/8/8/K3Q2Q w - - 0 1",
        "4k3/8/8/2pPp3/8/8/8/4K3 w - c6 0 1",
    ]:
        agree("chess", ["chess"], fen)
        board = chess.Board(fen)
        told = jewel_json("moves", "chess", "--san", "--fen", fen)
        assert told["san"] == [board.san(board.parse_uci(mv)) for mv in told["moves"]]
    walk("chess", ["chess"], random.Random(1), chess.STARTING_FEN, 80)


def test_chess960():
    source = random.Random(2)
    for number in source.sample(range(960), 5):
        fen = chess.Board.from_chess960_pos(number).fen()
        walk("chess", ["chess"], source, fen, 12, chess960=True)


def test_our_games_as_variants_of_fairy_stockfish():
    source = random.Random(3)
    open_key = str(ROOT / "examples/variants/diamond-qi-open.toml")
    for game, plies in [("diamond-quest", 40), ("diamond-chess", 40), (open_key, 20), ("duel", 6), ("ambush", 10)]:
        section = jewel_json("variant", "export", game)
        pyffish.load_variant_config(section["text"])
        walk(section["section"], [game], source, jewel_json("show", game)["fen"], plies)


def test_variants_of_fairy_stockfish_as_our_games(tmp_path):
    source = random.Random(4)
    for name in ["kingofthehill", "knightmate", "nightrider", "hoppelpoppel", "almost", "shatranj", "losalamos"]:
        (tmp_path / "v.ini").write_text(f"[x:{name}]\n")
        file = str(tmp_path / f"{name}.toml")
        told = jewel("variant", "import", str(tmp_path / "v.ini"), "--accept", "extinctionClaim,extinctionPieceCount,extinctionOpponentPieceCount", "-o", file)
        assert told.startswith("wrote ")
        walk(name, [file], source, pyffish.start_fen(name), 24)
