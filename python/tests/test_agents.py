"""The environments of PettingZoo and OpenSpiel, by the tests of those projects."""

from pathlib import Path

import jewel
import numpy as np
import pytest

VARIANTS = Path(__file__).parents[2] / "examples" / "variants"
GAMES = ["ambush", "diamond-chess", str(VARIANTS / "hexapawn.toml")]


@pytest.mark.parametrize("game", GAMES)
def test_pettingzoo(game: str) -> None:
    pytest.importorskip("pettingzoo")
    from jewel.pettingzoo import JewelEnv, env
    from pettingzoo.test import api_test, seed_test

    api_test(env(game), num_cycles=200, verbose_progress=False)
    seed_test(lambda: env(game), num_cycles=20)
    raw = JewelEnv(game, render_mode="ansi")
    raw.reset(seed=3)
    assert raw.render() == str(jewel.Board(game))
    total = {agent: 0.0 for agent in raw.possible_agents}
    rng = np.random.default_rng(2)
    for agent in raw.agent_iter():
        observation, reward, ended, cut, _ = raw.last()
        total[agent] += reward
        legal = np.flatnonzero(observation["action_mask"])
        raw.step(None if ended or cut else int(rng.choice(legal)))
    assert sum(total.values()) == 0


@pytest.mark.parametrize("game", GAMES)
def test_openspiel(game: str) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    from jewel.openspiel import load_game

    loaded = load_game(game)
    pyspiel.random_sim_test(loaded, num_sims=5, serialize=True, verbose=False)
    state = loaded.new_initial_state()
    board = jewel.Board(game)
    rng = np.random.default_rng(3)
    while not state.is_terminal():
        moves = {state.action_to_string(action): action for action in state.legal_actions()}
        assert sorted(moves) == sorted(board.legal_moves)
        move = rng.choice(sorted(moves))
        state.apply_action(moves[move])
        board.push(move)
    outcome = board.outcome()
    assert outcome is None or state.returns()[0] == {True: 1, False: -1, None: 0}[outcome.winner]


def test_games_in_code_are_refused() -> None:
    pytest.importorskip("pyspiel")
    from jewel.openspiel import load_game

    with pytest.raises(ValueError, match="not a game of a variant file"):
        load_game("world-tree")
