"""Small board games and chess variants: rules, searches, exact values, endgame tables, environments for agents.

>>> import jewel
>>> board = jewel.Board("duel")
>>> board.push("c1b1")
>>> print(board.fen())
l2/3/1L1 b - - 1 1
>>> jewel.solve("duel").value
Value('draw')
"""

from jewel._jewel import (
    UNKNOWN,
    BatchEnv,
    Board,
    Engine,
    Game,
    JewelError,
    Limit,
    Outcome,
    Player,
    PlayResult,
    Solution,
    TableClass,
    Tables,
    Value,
    __version__,
    build_tables,
    elo,
    solve,
)
from jewel.matches import Grade, Mistake, Record, Standing, Tournament, grade, tournament

__all__ = [
    "UNKNOWN",
    "BatchEnv",
    "Board",
    "Engine",
    "Game",
    "Grade",
    "JewelError",
    "Limit",
    "Mistake",
    "Outcome",
    "PlayResult",
    "Player",
    "Record",
    "Solution",
    "Standing",
    "TableClass",
    "Tables",
    "Tournament",
    "Value",
    "__version__",
    "build_tables",
    "elo",
    "grade",
    "solve",
    "tournament",
]
