"""`jewel uci` talks to python-chess: everything that its engines can be asked."""

import threading
import time

import chess
import chess.engine
import chess.variant
import pytest
from chess.engine import Limit
from conftest import jewel, start

MATE_IN_TWO = "3r2k1/5ppp/8/8/8/8/4QPPP/4R1K1 w - - 0 1"


def test_the_greeting_has_options_of_every_kind(engine):
    assert engine.id["name"].startswith("jewel ") and engine.id["author"]
    options = engine.options
    assert options["Hash"].type == "spin" and options["Hash"].default == 64 and options["Hash"].min == 1
    assert options["Ponder"].type == "check" and options["Clear Hash"].type == "button"
    assert options["Engine"].var == ["ab", "mcts"] and options["VariantPath"].type == "string"
    assert options["UCI_Variant"].default == "chess" and "diamond-quest" in options["UCI_Variant"].var
    assert options["UCI_Chess960"].is_managed() and options["MultiPV"].is_managed()
    engine.ping()


@pytest.mark.parametrize(
    "limit",
    [
        Limit(depth=3),
        Limit(nodes=500),
        Limit(time=0.05),
        Limit(mate=2, time=1),
        Limit(white_clock=1, black_clock=1, white_inc=0.01, black_inc=0.01),
        Limit(white_clock=0.5, black_clock=5, remaining_moves=5),
        Limit(depth=20, nodes=2000),
        Limit(white_clock=1),
        Limit(black_clock=1),
    ],
    ids=str,
)
def test_a_move_is_played_within_every_limit(engine, limit):
    board = chess.Board()
    for move in ["e4", "c5"]:
        board.push_san(move)
    begun = time.monotonic()
    result = engine.play(board, limit, info=chess.engine.INFO_ALL)
    assert result.move in board.legal_moves
    assert time.monotonic() - begun < 5
    assert result.info["score"].turn == chess.WHITE and result.info["depth"] >= 1
    assert result.info["pv"][0] == result.move


def test_whole_games_are_played(engine):
    for number, limit in enumerate([Limit(nodes=300), Limit(white_clock=0.6, black_clock=0.6, white_inc=0.01, black_inc=0.01)]):
        board = chess.Board()
        while not board.is_game_over(claim_draw=True) and board.ply() < 160:
            result = engine.play(board, limit, game=number)
            board.push(result.move)
        assert board.ply() > 20


def test_several_lines_are_different_and_in_order(engine):
    for fen in [chess.STARTING_FEN, "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4", MATE_IN_TWO]:
        board = chess.Board(fen)
        infos = engine.analyse(board, Limit(depth=6), multipv=4)
        assert [info["multipv"] for info in infos] == [1, 2, 3, 4]
        firsts = [info["pv"][0] for info in infos]
        assert len(set(firsts)) == 4 and all(move in board.legal_moves for move in firsts)
        scores = [info["score"].relative for info in infos]
        assert scores == sorted(scores, reverse=True)


def test_a_mate_is_announced_and_played(engine):
    board = chess.Board(MATE_IN_TWO)
    info = engine.analyse(board, Limit(depth=8))
    assert info["score"].white() == chess.engine.Mate(2)
    assert info["pv"][0] == chess.Move.from_uci("e2e8")
    board.push(info["pv"][0])
    assert engine.analyse(board, Limit(depth=6))["score"].relative < chess.engine.Cp(-10000)
    board.push(engine.play(board, Limit(depth=4)).move)
    board.push(engine.play(board, Limit(depth=4)).move)
    assert board.is_checkmate()
    # No move, in the words of the protocol a null move.
    assert not engine.play(board, Limit(depth=4)).move


def test_an_analysis_goes_on_until_it_is_stopped(engine):
    board = chess.Board()
    with engine.analysis(board) as analysis:
        for info in analysis:
            if info.get("depth", 0) >= 5 and "pv" in info:
                break
    best = analysis.wait()
    assert best.move in board.legal_moves
    assert analysis.info["nodes"] > 0 and analysis.would_block() is False
    with engine.analysis(board, multipv=2) as analysis:
        while len(analysis.multipv) < 2 or "pv" not in analysis.multipv[1]:
            analysis.get()
        analysis.stop()
        begun = time.monotonic()
        assert analysis.wait().move in board.legal_moves
        assert time.monotonic() - begun < 1
    # One that nobody stops ends by its limit.
    with engine.analysis(board, Limit(depth=3)) as analysis:
        assert [info for info in analysis][-1]["depth"] == 3


def test_a_command_ends_an_analysis_that_goes_on(engine):
    board = chess.Board()
    analysis = engine.analysis(board)
    analysis.get()
    assert engine.play(board, Limit(depth=2)).move in board.legal_moves
    with pytest.raises(chess.engine.AnalysisComplete):
        while True:
            analysis.get()


def test_only_some_moves_are_looked_at(engine):
    board = chess.Board()
    roots = [chess.Move.from_uci(text) for text in ["a2a3", "h2h4"]]
    assert engine.play(board, Limit(depth=4), root_moves=roots).move in roots
    infos = engine.analyse(board, Limit(depth=3), multipv=5, root_moves=roots)
    assert {info["pv"][0] for info in infos} == set(roots)


def test_pondering_hits_and_misses(engine):
    for follows in [True, False] * 3:
        board = chess.Board()
        result = engine.play(board, Limit(white_clock=1, black_clock=1), ponder=True)
        board.push(result.move)
        assert result.ponder in board.legal_moves
        others = [move for move in board.legal_moves if move != result.ponder]
        time.sleep(0.05)
        board.push(result.ponder if follows else others[0])
        begun = time.monotonic()
        assert engine.play(board, Limit(white_clock=1, black_clock=1), ponder=True).move in board.legal_moves
        assert time.monotonic() - begun < 1


def test_options_are_set_and_have_their_effect(engine):
    board = chess.Board()
    engine.configure({"UCI_ShowWDL": True, "Move Overhead": 50, "Clear Hash": None, "Threads": 2})
    wdl = engine.analyse(board, Limit(depth=4))["wdl"].relative
    assert wdl.total() == 1000
    engine.configure({"Engine": "mcts", "UCI_ShowWDL": False, "Threads": 1, "Seed": 7})
    first = engine.play(board, Limit(nodes=300), options={"Hash": 8})
    assert first.move in board.legal_moves
    for options, problem in [({"Hash": 0}, "at least 1"), ({"Engine": "x"}, "invalid value"), ({"Elo": 1}, "not support")]:
        with pytest.raises(chess.engine.EngineError, match=problem):
            engine.configure(options)


def test_a_wrong_position_is_never_searched(engine):
    """The side that is not to move is in check: the engine says so and plays no move."""
    board = chess.Board("4k3/4R3/8/8/8/8/8/4K3 w - - 0 1")
    assert not engine.play(board, Limit(depth=3)).move
    assert engine.play(chess.Board(), Limit(depth=3)).move in chess.Board().legal_moves


@pytest.mark.parametrize("number", [0, 518, 959, 777])
def test_chess960_is_played(engine, number):
    board = chess.Board.from_chess960_pos(number)
    while not board.is_game_over(claim_draw=True) and board.ply() < 60:
        board.push(engine.play(board, Limit(nodes=200), game=number).move)
    assert board.ply() > 10


def test_castling_is_played_as_either_side_writes_it(engine):
    for fen, chess960 in [
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", False),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", True),
        ("4k3/8/8/8/8/8/8/1R3KR1 w KQ - 0 1", True),
        ("2k5/8/8/8/8/8/8/R5KR w KQ - 0 1", True),
    ]:
        board = chess.Board(fen, chess960=chess960)
        for san in ["O-O", "O-O-O"]:
            castling = board.parse_san(san)
            assert engine.play(board, Limit(depth=3), root_moves=[castling]).move == castling
            after = board.copy()
            after.push(castling)
            assert engine.play(after, Limit(depth=3)).move in after.legal_moves


KING_OF_THE_HILL = "[kingofthehill:chess]\nflagPiece = k\nflagRegion = d4 e4 d5 e5\n"


def plays(engine, board):
    while not board.is_game_over(claim_draw=True) and board.ply() < 30:
        board.push(engine.play(board, Limit(nodes=200), game=type(board)).move)
    # The king walks up where nothing can stop it.
    near = type(board)("7k/8/8/8/8/3K4/8/8 w - - 0 1")
    result = engine.play(near, Limit(depth=3), info=chess.engine.INFO_ALL)
    assert result.move.to_square in [chess.D4, chess.E4] and result.info["score"].relative == chess.engine.Mate(1)


def test_a_variant_of_a_file_is_played(tmp_path):
    (tmp_path / "v.ini").write_text(KING_OF_THE_HILL)
    jewel("variant", "import", str(tmp_path / "v.ini"), "-o", str(tmp_path / "v.toml"))
    engine = start("--variant", str(tmp_path / "v.toml"))
    assert "kingofthehill" in engine.options["UCI_Variant"].var
    plays(engine, chess.variant.KingOfTheHillBoard())
    assert engine.play(chess.Board(), Limit(depth=3)).move in chess.Board().legal_moves
    engine.quit()


def test_a_variants_ini_is_read_by_variant_path(engine, tmp_path):
    (tmp_path / "v.ini").write_text(KING_OF_THE_HILL + "\n[drops:crazyhouse]\n")
    engine.configure({"VariantPath": str(tmp_path / "v.ini")})
    # What the engine says of the file is an info string, which any search takes; `ping` alone expects nothing at all.
    engine.play(chess.Board(), Limit(depth=1))
    # Python-chess checks against the list of the greeting.
    engine.options["UCI_Variant"].var.append("kingofthehill")
    plays(engine, chess.variant.KingOfTheHillBoard())


def test_a_game_can_be_ended_at_any_time():
    engine = start()
    engine.analysis(chess.Board())
    time.sleep(0.1)
    begun = time.monotonic()
    engine.quit()
    assert engine.protocol.returncode.result() == 0 and time.monotonic() - begun < 1
    engine = start()
    engine.close()
    # Two at once, each with a thread of its own.
    engines = [start(), start()]
    moves = []
    threads = [threading.Thread(target=lambda e=e: moves.append(e.play(chess.Board(), Limit(depth=4)))) for e in engines]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(moves) == 2 and all(engine.quit() is None for engine in engines)
