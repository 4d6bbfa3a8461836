"""Endgame tables."""

from collections.abc import Iterator
from pathlib import Path

import jewel
import numpy as np
import pytest


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[jewel.Tables]:
    folder = tmp_path_factory.mktemp("tables") / "ambush"
    yield jewel.build_tables("ambush", folder, "NLvNQ")


FEN = "N4/4n/5/5/1q1L1 w - - 0 1"


def test_a_probe_is_that_of_the_readme(tables: jewel.Tables) -> None:
    assert len(tables) == 9
    assert tables.probe(FEN) == jewel.Value("win", 20)
    moves = tables.moves(jewel.Board("ambush", FEN))
    assert moves[0] == ("d1c1", jewel.Value("win", 20)) and len(moves) == 7
    assert FEN in tables and jewel.Board("ambush") not in tables
    with pytest.raises(jewel.JewelError, match="there is no table"):
        tables.probe(jewel.Board("ambush"))


def test_the_folder_may_hold_the_games(tables: jewel.Tables) -> None:
    assert len(jewel.Tables("ambush", Path(tables.folder).parent)) == 9


def test_many_at_once(tables: jewel.Tables) -> None:
    name = max(tables.classes, key=len)
    fens = [fen for cell in range(0, 3000, 7) if (fen := tables.classes[name].fen(True, cell))]
    codes = tables.probe_many(fens)
    assert codes.dtype == np.int16 and codes.tolist() == [tables.probe(fen).code for fen in fens]
    marked = tables.probe_many([FEN, jewel.Game("ambush").start_fen], missing="mark")
    assert marked.tolist() == [21, jewel.UNKNOWN]
    with pytest.raises(jewel.JewelError, match="position 2 of 2: there is no table"):
        tables.probe_many([FEN, jewel.Game("ambush").start_fen])
    with pytest.raises(ValueError, match="position 1 of 1: "):
        tables.probe_many(["nonsense"])
    with pytest.raises(TypeError):
        tables.probe_many([3])  # type: ignore[list-item]
    assert tables.probe_many([]).shape == (0,)


def test_classes_as_arrays(tables: jewel.Tables, tmp_path: Path) -> None:
    material = tables.classes[max(tables.classes, key=len)]
    array = material.array()
    assert array.shape == (2, material.cells) and array.dtype == np.int16
    mapped = material.array(tmp_path / "class.npy")
    assert isinstance(mapped, np.memmap) and np.array_equal(mapped, array)
    assert list(tmp_path.iterdir()) == [tmp_path / "class.npy"]
    rng = np.random.default_rng(1)
    for cell in rng.integers(0, material.cells, 300).tolist():
        for row, white in enumerate([True, False]):
            fen = material.fen(white, cell)
            if fen is None:
                assert array[row, cell] == jewel.UNKNOWN
                continue
            assert array[row, cell] == tables.probe(fen).code
            turn, found = material.index(fen)
            assert array[0 if turn else 1, found] == array[row, cell]
    assert sum(material.counts) > 0 and material.bytes > 0
    with pytest.raises(ValueError, match="is not a whole number below"):
        material.fen(True, material.cells)
    with pytest.raises(ValueError):
        material.index(jewel.Board("ambush"))


def test_a_class_file_that_cannot_be_written(tables: jewel.Tables, tmp_path: Path) -> None:
    material = next(iter(tables.classes.values()))
    with pytest.raises(jewel.JewelError, match="nowhere"):
        material.array(tmp_path / "nowhere" / "class.npy")


def test_engines_and_players_use_tables(tables: jewel.Tables) -> None:
    board = jewel.Board("ambush", FEN)
    engine = jewel.Engine("ambush", hash=1, tables=tables.folder)
    assert engine.analyse(board, jewel.Limit(depth=2))[0]["tbhits"] > 0
    assert jewel.Player("ambush", f"table,tables={tables.folder}")(board) == "d1c1"


def test_missing_and_wrong_folders(tmp_path: Path, tables: jewel.Tables) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        jewel.Tables("ambush", tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError, match="there are no tables in"):
        jewel.Tables("ambush", tmp_path)
    with pytest.raises(jewel.JewelError, match="other rules|another"):
        jewel.Tables("diamond-qi", tables.folder)
    with pytest.raises(ValueError, match="not a game of a variant file"):
        jewel.Tables("world-tree", tmp_path)
    with pytest.raises(ValueError):
        jewel.build_tables("ambush", tmp_path / "new", "XXvYY")


def test_damage_is_found(tmp_path: Path) -> None:
    jewel.build_tables("ambush", tmp_path, "NvN")
    file = next(tmp_path.glob("*.jt"))
    data = bytearray(file.read_bytes())
    data[20] ^= 1
    file.write_bytes(data)
    with pytest.raises(jewel.JewelError) as error:
        jewel.Tables("ambush", tmp_path)
    assert file.name in str(error.value) and "\n" not in str(error.value)


def test_progress(tmp_path: Path) -> None:
    stages = set()
    jewel.build_tables("ambush", tmp_path, "NvN", on_progress=lambda progress: stages.add(progress["stage"]))
    assert "done" in stages
