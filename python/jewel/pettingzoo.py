"""A game as an environment of PettingZoo (agents take turns: AEC).

>>> from jewel.pettingzoo import env
>>> environment = env("duel")
>>> environment.reset()
>>> environment.agent_selection
'player_0'
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from jewel._jewel import BatchEnv, Game

Observation = dict[str, NDArray[Any]]


class JewelEnv(AECEnv):  # type: ignore[misc]
    """A game of a variant file. ``player_0`` has White.

    An observation has the planes of `jewel.BatchEnv` and the mask of legal actions.

    Args:
        game: a `jewel.Game`, or the name of one.
        max_plies: games of so many plies are cut off.
        render_mode: ``"ansi"`` or ``None``.

    Raises:
        ValueError: the game is none of a variant file.
    """

    metadata = {"name": "jewel_v0", "render_modes": ["ansi"], "is_parallelizable": False, "render_fps": 1}

    def __init__(self, game: Game | str, *, max_plies: int = 1000, render_mode: str | None = None) -> None:
        super().__init__()
        if render_mode not in (None, "ansi"):
            raise ValueError(f'render_mode: "{render_mode}" is not "ansi"')
        self.batch = BatchEnv(game, 1, max_plies=max_plies, auto_reset=False)
        self.render_mode = render_mode
        self.possible_agents = ["player_0", "player_1"]
        self.agents = self.possible_agents[:]
        observation = spaces.Dict(
            {
                "observation": spaces.Box(0.0, 1.0, self.batch.planes_shape, np.float32),
                "action_mask": spaces.Box(0, 1, (self.batch.actions,), np.int8),
            }
        )
        self.observation_spaces = {agent: observation for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(self.batch.actions) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self.batch.reset(0 if seed is None else seed)
        self.agents = self.possible_agents[:]
        self.rewards = {agent: 0.0 for agent in self.agents}
        self._cumulative_rewards = {agent: 0.0 for agent in self.agents}
        self.terminations = {agent: False for agent in self.agents}
        self.truncations = {agent: False for agent in self.agents}
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self._mover()

    def _mover(self) -> str:
        return self.possible_agents[0 if self.batch.turns()[0] else 1]

    def observe(self, agent: str) -> Observation:
        mask = self.batch.legal_mask()[0].astype(np.int8)
        if agent != self.agent_selection:
            mask[:] = 0
        return {"observation": self.batch.planes()[0], "action_mask": mask}

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError("an action is missing: the game goes on")
        rewards, over, cut = self.batch.step(np.array([action], dtype=np.int64))
        other = self.possible_agents[1 - self.possible_agents.index(agent)]
        self._cumulative_rewards[agent] = 0.0
        self.rewards = {agent: float(rewards[0]), other: -float(rewards[0])}
        if over[0]:
            flags = self.truncations if cut[0] else self.terminations
            for player in self.possible_agents:
                flags[player] = True
            self.agent_selection = other
        else:
            self.agent_selection = self._mover()
        self._accumulate_rewards()

    def render(self) -> str | None:
        return str(self.batch.board(0)) if self.render_mode == "ansi" else None

    def close(self) -> None:
        pass


def env(game: Game | str, *, max_plies: int = 1000, render_mode: str | None = None) -> Any:
    """The environment in the wrappers that PettingZoo recommends: an illegal move ends the game, and calls out of order are errors."""
    raw = JewelEnv(game, max_plies=max_plies, render_mode=render_mode)
    return wrappers.OrderEnforcingWrapper(wrappers.TerminateIllegalWrapper(raw, illegal_reward=-1))
