"""Whatever the arguments, an exception of Python comes back or a result, and never a panic."""

from pathlib import Path

import jewel
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

ORDINARY = (ValueError, TypeError, KeyError, IndexError, OverflowError, FileNotFoundError, OSError, jewel.JewelError)
GAMES = st.sampled_from(jewel.Game.ids())
FENS = st.one_of(
    st.text(max_size=60),
    st.text("lLnNqQ12345/wb- KQkq0", max_size=60),
    st.sampled_from([jewel.Game(name).start_fen for name in jewel.Game.ids()]).flatmap(
        lambda fen: st.tuples(st.just(fen), st.integers(0, len(fen)), st.text(max_size=4)).map(
            lambda parts: parts[0][: parts[1]] + parts[2] + parts[0][parts[1] + 1 :]
        )
    ),
)
MOVES = st.one_of(st.text(max_size=12), st.text("abcdefgh12345678=+#xO-@,:", max_size=8))
ANY = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20), st.binary(max_size=8))
fuzz = settings(max_examples=60, deadline=None)


def attempt(call, *arguments, **keywords):  # type: ignore[no-untyped-def]
    try:
        return call(*arguments, **keywords)
    except ORDINARY as error:
        assert "\n" not in str(error) or isinstance(error, TypeError)
        assert "please report" not in str(error)
        return None


@fuzz
@given(st.text(max_size=60))
def test_names_and_texts(text: str) -> None:
    attempt(jewel.Game, text)
    attempt(jewel.Game.from_toml, text)


@fuzz
@given(st.text("abw=[]{}\"' \n.0123456789xpieckys-#", max_size=200))
def test_variant_files(text: str) -> None:
    attempt(jewel.Game.from_toml, text)
    original = (Path(__file__).parents[2] / "examples" / "variants" / "hexapawn.toml").read_text()
    at = len(text) * 7 % len(original)
    attempt(jewel.Game.from_toml, original[:at] + text[:9] + original[at + 3 :])


@fuzz
@given(GAMES, FENS, st.lists(MOVES, max_size=4))
def test_boards(game: str, fen: str, moves: list[str]) -> None:
    board = attempt(jewel.Board, game, fen) or jewel.Board(game)
    for move in moves:
        for call in (board.push, board.is_legal, board.parse_san, board.san):
            attempt(call, move)
        attempt(board.roll, move, 3)
    attempt(board.set_fen, fen)
    board.fen(), str(board), board.svg(), board.outcome(), board.zobrist_hash(), board.symmetric_hash(), board.evaluate()
    attempt(board.perft, 1)
    attempt(board.game.images, fen)
    if board.legal_moves and not board.is_game_over():
        board.push(board.legal_moves[-1])
        board.pop()


@fuzz
@given(ANY, ANY, ANY, ANY)
def test_limits_and_engines(a: object, b: object, c: object, d: object) -> None:
    attempt(jewel.Limit, a, b, c, d)
    attempt(jewel.Engine, "duel", a, threads=1, hash=b if isinstance(b, int) and b < 99 else 1, seed=c)
    attempt(jewel.Value, a, b)
    attempt(jewel.Board("duel").perft, a if not isinstance(a, int) or a > 1000 else 1)
    attempt(jewel.Game, a)
    attempt(jewel.Board, a, b)


@fuzz
@given(st.text("abkindrom=,0123456789-epths ", max_size=30), GAMES)
def test_players(spec: str, game: str) -> None:
    attempt(jewel.Player, game, spec)


@settings(max_examples=30, deadline=None)
@given(FENS, st.integers(0, 10**9), MOVES)
def test_searches(fen: str, nodes: int, move: str) -> None:
    board = attempt(jewel.Board, "diamond-chess", fen)
    if board is not None:
        for algorithm in ("ab", "mcts"):
            engine = jewel.Engine("diamond-chess", algorithm, hash=1)  # type: ignore[arg-type]
            limit = jewel.Limit(nodes=nodes % 500, playouts=nodes % 50)
            attempt(engine.play, board, limit)
            attempt(engine.analyse, board, limit, multipv=nodes % 7, root_moves=[move])


@fuzz
@given(FENS, st.lists(st.integers(-(2**63), 2**63 - 1), max_size=3), st.integers(-3, 10))
def test_batches(fen: str, actions: list[int], game: int) -> None:
    env = jewel.BatchEnv("diamond-chess", 2)
    attempt(env.set_fen, game, fen)
    attempt(env.step, np.array(actions, np.int64))
    attempt(env.moves, game)
    attempt(env.board, game)
    attempt(env.step, env.sample())
    env.planes(), env.legal_mask(), env.fens()


@settings(max_examples=40, deadline=None)
@given(FENS)
def test_solutions(fen: str) -> None:
    attempt(jewel.solve, "duel", fen, max_positions=2000)


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> jewel.Tables:
    return jewel.build_tables("ambush", tmp_path_factory.mktemp("tables"), "NLvN")


@settings(max_examples=60, deadline=None)
@given(fen=FENS, cell=st.integers(-5, 10**6), name=st.text(max_size=9))
def test_tables(tables: jewel.Tables, fen: str, cell: int, name: str) -> None:
    attempt(tables.probe, fen)
    attempt(tables.moves, fen)
    attempt(tables.probe_many, [fen], missing="mark")
    attempt(tables.__contains__, fen)
    for material in tables.classes.values():
        attempt(material.fen, True, cell)
        attempt(material.index, fen)
    attempt(jewel.Tables, "ambush", name)
