"""Many games at a time."""

from pathlib import Path

import jewel
import numpy as np
import pytest

VARIANTS = Path(__file__).parents[2] / "examples" / "variants"
GAMES = ["duel", "ambush", "diamond-chess", "chess", "crystal-of-doom"]


@pytest.mark.parametrize("game", GAMES)
def test_a_batch_plays_as_boards_do(game: str) -> None:
    env = jewel.BatchEnv(game, 3, auto_reset=False, max_plies=120, seed=5)
    boards = [jewel.Board(game) for _ in range(3)]
    over = np.zeros(3, bool)
    for _ in range(60):
        masks, actions = env.legal_mask(), env.sample()
        assert masks.shape == (3, env.actions) and env.fens() == [board.fen() for board in boards]
        before = over.copy()
        for n, board in enumerate(boards):
            if over[n]:
                assert actions[n] == -1 and not masks[n].any()
                continue
            moves = env.moves(n)
            assert list(moves) == board.legal_moves and len(set(moves.values())) == len(moves)
            assert sorted(moves.values()) == np.flatnonzero(masks[n]).tolist()
            assert env.turns()[n] == board.turn
            mover = board.turn
            board.push({action: move for move, action in moves.items()}[int(actions[n])])
        rewards, ended, cut = env.step(actions)
        for n, board in enumerate(boards):
            if before[n]:
                continue
            outcome = board.outcome()
            assert ended[n] == (outcome is not None) and not cut[n]
            if outcome is not None:
                over[n] = True
                winner = outcome.winner
                mover = board.copy()
                mover.pop()
                assert rewards[n] == (0 if winner is None else 1 if winner == mover.turn else -1)
    assert env.planes().shape == (3, *env.planes_shape)


def test_actions_need_not_be_those_that_were_drawn() -> None:
    env = jewel.BatchEnv("ambush", 2, auto_reset=False)
    board = jewel.Board("ambush")
    for _ in range(9):
        env.sample()
        moves = env.moves(0)
        mask = env.legal_mask()
        last = int(np.flatnonzero(mask[0])[-1])
        board.push({action: move for move, action in moves.items()}[last])
        env.step(np.array([last, last]))
        assert env.fens() == [board.fen()] * 2
    # What was drawn for another position does not count.
    drawn = env.sample()
    env.set_fen(0, "n4/5/5/5/2L1N w - - 0 1")
    drawn[0] = 0
    with pytest.raises(ValueError, match="of game 0 is not legal"):
        env.step(drawn)


def test_planes() -> None:
    env = jewel.BatchEnv("duel", 2)
    [planes, _] = env.planes()
    assert planes.shape == env.planes_shape == (4, 3, 3)
    # One kind of piece: White's on c1, Black's on a3; White is to move.
    assert planes[0].tolist() == [[0, 0, 1], [0, 0, 0], [0, 0, 0]]
    assert planes[1].tolist() == [[0, 0, 0], [0, 0, 0], [1, 0, 0]]
    assert planes[2].all() and not planes[3].any()
    out = np.full((2, 4, 3, 3), 7, np.float32)
    assert env.planes(out) is out and np.array_equal(out[0], planes)
    mask = np.empty((2, env.actions), bool)
    assert env.legal_mask(mask) is mask and mask.sum() == 8


def test_games_begin_anew() -> None:
    env = jewel.BatchEnv("duel", 64, max_plies=8, seed=9)
    ended = cut_off = 0
    for _ in range(40):
        rewards, over, cut = env.step(env.sample())
        assert not (cut & ~over).any() and not rewards[~over].any() and not rewards[cut].any()
        starts = [fen == env.game.start_fen for fen in env.fens()]
        assert all(start for start, done in zip(starts, over, strict=True) if done)
        ended += int(over.sum())
        cut_off += int(cut.sum())
    assert ended > cut_off > 0


def test_threads_change_nothing() -> None:
    def played(threads: int) -> list[str]:
        env = jewel.BatchEnv("ambush", 200, threads=threads, seed=4)
        for _ in range(30):
            env.step(env.sample())
        return env.fens()

    assert played(1) == played(4)


def test_mistakes_change_nothing() -> None:
    env = jewel.BatchEnv("duel", 2)
    actions = env.sample()
    actions[1] = 0
    before = env.fens()
    with pytest.raises(ValueError, match="action 0 of game 1 is not legal"):
        env.step(actions)
    assert env.fens() == before
    for wrong in ([[1]], np.zeros(3, np.int64), np.zeros(2, np.int64)[::2]):
        with pytest.raises((ValueError, TypeError)):
            env.step(wrong)  # type: ignore[arg-type]
    with pytest.raises((ValueError, TypeError)):
        env.planes(np.zeros((1, 4, 3, 3), np.float32))
    locked = np.zeros((2, 4, 3, 3), np.float32)
    locked.flags.writeable = False
    with pytest.raises(ValueError):
        env.planes(locked)
    for call in (lambda: env.moves(2), lambda: env.set_fen(0, "?"), lambda: jewel.BatchEnv("duel", 0)):
        with pytest.raises(ValueError):
            call()
    with pytest.raises(ValueError, match="world-tree is not a game of a variant file"):
        jewel.BatchEnv("world-tree", 1)


def test_positions_are_set() -> None:
    env = jewel.BatchEnv("ambush", 2)
    fen = "n4/5/5/5/2L1N w - - 0 1"
    env.set_fen(1, fen)
    assert env.fens()[1] == fen and env.board(1) == jewel.Board("ambush", fen) and len(env) == 2
