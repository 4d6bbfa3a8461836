"""Exact values by graph."""

from pathlib import Path

import jewel
import numpy as np
import pytest

VARIANTS = Path(__file__).parents[2] / "examples" / "variants"


def test_a_solution_is_a_mapping() -> None:
    solution = jewel.solve("duel")
    assert len(solution) == 162 == len(set(solution)) == len(list(solution.values()))
    assert dict(solution.items()) == {fen: solution[fen] for fen in solution.keys()}
    board = jewel.Board("duel")
    assert board in solution and solution[board] == solution.get(board) == solution.value == jewel.Value("draw")
    assert solution.get("l1L/3/3 w - - 0 1", 7) in (7, solution.get("l1L/3/3 w - - 0 1"))
    longest = solution.longest_win()
    assert longest is not None and solution[longest] == jewel.Value("win", 2)
    with pytest.raises(KeyError):
        solution["Lll/3/3 w - - 0 1"]
    with pytest.raises(ValueError):
        solution["nonsense"]


def test_values_follow_from_moves() -> None:
    game = jewel.Game.from_file(VARIANTS / "hexapawn.toml")
    solution = jewel.solve(game)
    for fen, value in solution.items():
        moves = solution.moves(fen)
        if moves:
            assert moves[0][1] == value == max(value for _, value in moves)
        else:
            assert value.distance in (0, None)


def test_arrays() -> None:
    solution = jewel.solve("duel")
    hashes, codes = solution.arrays()
    assert hashes.dtype == np.uint64 and codes.dtype == np.int32 and len(hashes) == len(solution)
    for fen, key, code in zip(solution, hashes, codes, strict=True):
        assert jewel.Board("duel", fen).zobrist_hash() == key and solution[fen].code == code


def test_progress_and_limits() -> None:
    phases = set()
    jewel.solve("duel", on_progress=lambda progress: phases.add(progress["phase"]))
    assert "enumerate" in phases
    with pytest.raises(jewel.JewelError, match="there are more than 50 positions"):
        jewel.solve("duel", max_positions=50)
    with pytest.raises(ValueError):
        jewel.solve("duel", "nonsense")

    def angry(progress: object) -> None:
        raise LookupError("no")

    with pytest.raises(LookupError, match="no"):
        jewel.solve("duel", on_progress=angry)


def test_games_in_code() -> None:
    with pytest.raises(jewel.JewelError, match="more than 1000 positions"):
        jewel.solve("world-tree", max_positions=1000)


def test_values_are_ordered() -> None:
    texts = [("loss", 0), ("loss", 4), ("draw", None), ("win", 5), ("win", 1)]
    values = [jewel.Value(value, distance) for value, distance in texts]  # type: ignore[arg-type]
    assert sorted(reversed(values)) == values
    assert [value.code for value in values] == [-1, -5, 0, 6, 2]
    assert len({jewel.Value("draw"), jewel.Value("draw")}) == 1
    for bad in [("won", 1), ("draw", 2), ("win", None)]:
        with pytest.raises(ValueError):
            jewel.Value(*bad)  # type: ignore[arg-type]
