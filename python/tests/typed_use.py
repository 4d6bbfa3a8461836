"""A program that type checkers must accept in strict mode, and find no mistakes in that are not there."""

import jewel
import numpy as np
from numpy.typing import NDArray


def best(board: jewel.Board) -> str:
    move = jewel.Engine(board.game, "mcts").play(board, jewel.Limit(playouts=10)).move
    assert move is not None
    return move


def counts(solution: jewel.Solution) -> dict[str, int]:
    return {fen: value.distance or 0 for fen, value in solution.items()}


def decided(tables: jewel.Tables, fens: list[str]) -> NDArray[np.bool_]:
    return np.not_equal(tables.probe_many(fens), 0)


def scores(board: jewel.Board) -> list[float]:
    lines = jewel.Engine("chess").analyse(board, jewel.Limit(depth=2), on_info=lambda info: info["depth"] < 5)
    return [line["score"]["value"] for line in lines]


def winner(board: jewel.Board) -> str:
    outcome = board.outcome()
    return "nobody" if outcome is None or outcome.winner is None else board.game.sides[0 if outcome.winner else 1]


def played(env: jewel.BatchEnv) -> float:
    rewards, over, cut = env.step(env.sample())
    return float(rewards[over & ~cut].sum())


def names(game: jewel.Game) -> list[str]:
    table = jewel.tournament(game, {"best": best, "random": "random"}, rounds=1)
    return [standing.name for standing in table.standings]
