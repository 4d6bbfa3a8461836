"""Tournaments and grades."""

from pathlib import Path

import jewel
import pytest


def first(board: jewel.Board) -> str:
    return board.legal_moves[0]


def test_tournament() -> None:
    records: list[jewel.Record] = []
    players = {"first": first, "ab": "ab,depth=5", "random": "random"}
    result = jewel.tournament("ambush", players, rounds=2, on_game=records.append)
    assert tuple(records) == result.records and len(records) == 12
    assert result.standings[0].name == "ab" and result.standings[0].score > 0.5
    assert sum(s.games for s in result.standings) == 24
    assert "ab" in str(result)
    again = jewel.tournament("ambush", players, rounds=2)
    assert again == result
    for one, other in zip(records[::2], records[1::2], strict=True):
        assert one.moves[: one.opening] == other.moves[: other.opening]
        assert (one.white, one.black) == (other.black, other.white)


def test_a_record_can_be_played_again() -> None:
    result = jewel.tournament("duel", {"a": first, "b": "random"}, rounds=2)
    for record in result.records:
        board = jewel.Board("duel", record.start)
        for move in record.moves:
            board.push(move)
        assert record.reason == "length" or board.result() == record.result


def test_an_illegal_move_loses() -> None:
    result = jewel.tournament("duel", {"a": lambda board: "a1a9", "b": "random"}, rounds=1)
    assert [s.name for s in result.standings] == ["b", "a"] and result.standings[0].wins == 2
    assert "a played an illegal move, 'a1a9'" in result.records[0].reason
    result = jewel.tournament("duel", {"a": lambda board: 7, "b": "random"}, rounds=1)  # type: ignore[dict-item,return-value]
    assert result.standings[0].name == "b"


def test_mistakes() -> None:
    with pytest.raises(ValueError, match="two or more"):
        jewel.tournament("duel", {"a": first})
    with pytest.raises(ValueError, match="without end"):
        jewel.tournament("duel", {"a": first, "b": "ab"})
    with pytest.raises(ValueError, match="rounds: 0"):
        jewel.tournament("duel", {"a": first, "b": "random"}, rounds=0)
    with pytest.raises(ValueError, match="neither a function"):
        jewel.tournament("duel", {"a": first, "b": 3})  # type: ignore[dict-item]


def test_elo() -> None:
    assert jewel.elo([]) == (None, None)
    assert jewel.elo([1.0, 1.0])[0] is None
    difference, error = jewel.elo([1, 0, 0.5, 0.5] * 20)
    assert difference == pytest.approx(0) and error is not None and error > 0
    with pytest.raises(ValueError, match="results: 2 is not 0, 0.5 or 1"):
        jewel.elo([2])


def test_grade(tmp_path: Path) -> None:
    tables = jewel.build_tables("duel", tmp_path)
    perfect = jewel.grade(f"table,tables={tmp_path}", "duel", tables, positions=100, plies=6)
    assert perfect.share == perfect.share_of_decisions == 1.0 and perfect.decisions > 0
    assert perfect.mistakes == () and perfect.interval[0] < 1.0
    random = jewel.grade("random", "duel", tables, positions=100, plies=6)
    assert random.share < 1.0 and len(random.mistakes) == random.positions - random.kept
    for mistake in random.mistakes:
        values = dict(tables.moves(mistake.fen))
        assert values[mistake.move].value == mistake.after != mistake.value == values[mistake.best].value
    games = jewel.grade(first, "duel", tables, positions=50, source="games", plies=4)
    assert games.positions == 50
    with pytest.raises(ValueError):
        jewel.grade(lambda board: "a1a9", "duel", tables, positions=5)
    with pytest.raises(ValueError, match="source"):
        jewel.grade(first, "duel", tables, source="else")  # type: ignore[arg-type]
