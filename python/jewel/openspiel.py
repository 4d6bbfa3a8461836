"""A game as a game of OpenSpiel.

>>> from jewel.openspiel import load_game
>>> state = load_game("duel").new_initial_state()
>>> [state.action_to_string(action) for action in state.legal_actions()]
['c1a1', 'c1b1', 'c1c2', 'c1c3']
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray

from jewel._jewel import BatchEnv, Board, Game

_LONGEST = 1000
_registered: dict[int, str] = {}


class JewelState(pyspiel.State):  # type: ignore[misc]
    """A position. Player 0 has White."""

    def __init__(self, game: Any, board: Board) -> None:
        super().__init__(game)
        self.board = board
        self.moves: dict[int, str] | None = None

    def _legal(self) -> dict[int, str]:
        if self.moves is None:
            codec: BatchEnv = self.get_game().codec
            codec.set_fen(0, self.board.fen())
            self.moves = {action: move for move, action in codec.moves(0).items()}
        return self.moves

    def current_player(self) -> int:
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        return 0 if self.board.turn else 1

    def is_terminal(self) -> bool:
        return self.board.ply() >= _LONGEST or self.board.is_game_over()

    def returns(self) -> list[float]:
        outcome = self.board.outcome()
        if outcome is None or outcome.winner is None:
            return [0.0, 0.0]
        return [1.0, -1.0] if outcome.winner else [-1.0, 1.0]

    def _legal_actions(self, player: int) -> list[int]:
        return sorted(self._legal())

    def _apply_action(self, action: int) -> None:
        self.board.push(self._legal()[action])
        self.moves = None

    def _action_to_string(self, player: int, action: int) -> str:
        return self._legal().get(action, str(action))

    def __str__(self) -> str:
        return self.board.fen()


class _Observer:
    """The planes of `jewel.BatchEnv`."""

    def __init__(self, codec: BatchEnv) -> None:
        self.codec = codec
        planes = np.zeros(codec.planes_shape, np.float32)
        self.tensor: NDArray[np.float32] = planes.reshape(-1)
        self.dict = {"planes": planes}

    def set_from(self, state: JewelState, player: int) -> None:
        self.codec.set_fen(0, state.board.fen())
        self.dict["planes"][:] = self.codec.planes()[0]

    def string_from(self, state: JewelState, player: int) -> str:
        return str(state.board.fen())


def _definition(game: Game) -> tuple[Any, Any]:
    codec = BatchEnv(game, 1)
    kind = pyspiel.GameType(
        short_name=_registered[game.fingerprint],
        long_name=game.name,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=False,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={},
    )
    info = pyspiel.GameInfo(
        num_distinct_actions=codec.actions,
        max_chance_outcomes=0,
        num_players=2,
        min_utility=-1.0,
        max_utility=1.0,
        utility_sum=0.0,
        max_game_length=_LONGEST,
    )

    class JewelGame(pyspiel.Game):  # type: ignore[misc]
        def __init__(self, params: Any = None) -> None:
            super().__init__(kind, info, params or {})
            self.codec = codec

        def new_initial_state(self) -> JewelState:
            return JewelState(self, Board(game))

        def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> _Observer:
            return _Observer(codec)

    return kind, JewelGame


def load_game(game: Game | str) -> Any:
    """The game, registered with OpenSpiel as ``jewel_`` and its id, so that ``pyspiel.load_game`` knows it from now on.

    Games of 1000 plies are drawn. Actions are those of `jewel.BatchEnv`.

    Args:
        game: a `jewel.Game`, or the name of one.

    Raises:
        ValueError: the game is none of a variant file, or another one has its id already.
    """
    game = game if isinstance(game, Game) else Game(game)
    if not game.is_variant:
        raise ValueError(f"{game.id} is not a game of a variant file: the adapter is for those")
    if game.fingerprint not in _registered:
        name = "jewel_" + game.id.replace("-", "_")
        if name in _registered.values():
            raise ValueError(f"another game is registered as {name}: give this one an id of its own")
        _registered[game.fingerprint] = name
        pyspiel.register_game(*_definition(game))
    return pyspiel.load_game(_registered[game.fingerprint])
