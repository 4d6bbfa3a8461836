"""Every function and method that the stubs name, with arguments of the right types, of wrong ones and of absurd sizes: an
exception of Python comes back or a result, and never a panic. What is added to the package is found here by itself;
`test_fuzz.py` goes deeper where that pays."""

import ast
import copy
import math
import os
import pickle
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jewel
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_fuzz import ANY, FENS, MOVES, attempt

Strategy = st.SearchStrategy[Any]

PACKAGE = Path(__file__).parents[1] / "jewel"
GAMES = ["duel", "ambush", "diamond-chess", "world-tree", "kings-mate-active", "crown-jewels", "crystal-of-doom"]


def functions(file: str, owner: str | None) -> dict[str, ast.FunctionDef]:
    """The functions of a file, or the methods of one of its classes."""
    body = ast.parse((PACKAGE / file).read_text()).body
    if owner is not None:
        body = next(node.body for node in body if isinstance(node, ast.ClassDef) and node.name == owner)
    return {node.name: node for node in body if isinstance(node, ast.FunctionDef)}


STUBS = ast.parse((PACKAGE / "_jewel.pyi").read_text()).body
# Dictionaries and the exception have no methods of their own.
CLASSES = [node.name for node in STUBS if isinstance(node, ast.ClassDef) and functions("_jewel.pyi", node.name)]
ENTRIES = [("_jewel.pyi", owner, name) for owner in CLASSES for name in functions("_jewel.pyi", owner)]
ENTRIES += [("_jewel.pyi", None, name) for name in functions("_jewel.pyi", None)]
ENTRIES += [("matches.py", None, name) for name in functions("matches.py", None) if not name.startswith("_")]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder for all that is written, and the working directory meanwhile."""
    before, folder = Path.cwd(), tmp_path_factory.mktemp("fuzz")
    (folder / "text").write_text("no table, no net")
    os.chdir(folder)
    yield folder
    os.chdir(before)


@cache
def tables() -> jewel.Tables:
    return jewel.build_tables("duel", "tables")


def ended() -> jewel.Board:
    board = jewel.Board("duel")
    while not board.is_game_over():
        board.push(board.legal_moves[-1])
    return board


# An object of each class.
MAKERS: dict[str, Callable[[str], Any]] = {
    "Game": jewel.Game,
    "Outcome": lambda _: ended().outcome(),
    "Board": jewel.Board,
    "Limit": lambda _: jewel.Limit(nodes=50),
    "PlayResult": lambda _: jewel.Engine("duel", hash=1).play(jewel.Board("duel"), jewel.Limit(nodes=50)),
    "Engine": lambda _: jewel.Engine("duel", hash=1),
    "Player": lambda _: jewel.Player("duel", "ab,depth=2"),
    "Value": lambda _: jewel.Value("win", 3),
    "Solution": lambda _: jewel.solve("duel"),
    "Tables": lambda _: tables(),
    "TableClass": lambda _: next(iter(tables().classes.values())),
    "BatchEnv": lambda _: jewel.BatchEnv("duel", 3, seed=2),
}


def sizes(*refused: int) -> Strategy:
    """Small numbers, which cost little, and ones that are too large."""
    return st.one_of(st.integers(-2, 4), st.sampled_from([-(2**31), 2**70, *refused]))


def files() -> Strategy:
    """Paths that may be written to as well."""
    return st.sampled_from(["nowhere/file", "new", "text", ".", "", "tables", "\0", Path("new"), Path("nowhere") / "file"])


# By the name of the parameter: what its type does not tell. Numbers are small where each up to a limit is work to do.
NAMED: dict[str, Strategy] = {
    "depth": sizes(1001, 2**31),
    "n": sizes(2**22 + 1),
    "threads": sizes(1025),
    "hash": sizes(2**24 + 1),
    "multipv": sizes(2**32 - 1),
    "max_pieces": sizes(),
    "rounds": st.integers(-2, 1),
    "positions": st.integers(-2, 3),
    "plies": st.integers(-2, 9),
    "opening_plies": st.integers(-2, 3),
    "max_plies": st.one_of(st.integers(-2, 40), st.just(2**70)),
    "time": st.one_of(st.floats(0, 0.01), st.sampled_from([-1.0, math.nan, math.inf, 1e10])),
    "nodes": st.one_of(st.integers(-2, 300), st.just(2**70)),
    "playouts": st.one_of(st.integers(-2, 300), st.just(2**70)),
    "memory": st.one_of(st.integers(-2, 10**7), st.just(2**70)),
    "max_positions": st.one_of(st.integers(-2, 3000), st.just(2**70)),
    "material": st.one_of(st.none(), st.sampled_from(["LvL", "vv", "LLLLLLLLLLvL"]), st.text("Lvx", max_size=7)),
    "file": files(),
    "folder": files(),
    "tables": st.one_of(files(), st.none()),
    "net": st.one_of(files(), st.just("none"), st.none()),
    "weights": st.one_of(files(), st.none()),
}
SPECS = st.one_of(
    st.sampled_from(["ab,depth=2", "random", "greedy", "mcts,playouts=9", "table,tables=nowhere", "human", "ab"]),
    st.text("abkindrom=,0123456789-epths ", max_size=30),
)


def refuses(*_: object) -> object:
    raise ValueError("not today")


CALLED: Strategy = st.sampled_from([refuses, lambda *_: False, lambda *_: None, lambda *_: "a1a2", 3])


def arrays() -> Strategy:
    kinds = st.sampled_from([np.int64, np.int32, np.float32, np.bool_, np.float64])
    shapes = st.sampled_from([(3,), (2,), (), (0,), (3, 81), (3, 4, 3, 3), (81, 3), (1, 81), (4, 3, 3)])

    def array(kind: type, shape: tuple[int, ...], seed: int) -> Any:
        made = np.random.default_rng(seed).integers(-2, 90, shape).astype(kind)
        made.flags.writeable = seed % 5 != 0
        return made[::2] if seed % 7 == 0 and made.ndim else made.T if seed % 3 == 0 else made

    return st.builds(array, kinds, shapes, st.integers(0, 99))


def boards() -> Strategy:
    return st.builds(lambda game, fen: attempt(jewel.Board, game, fen) or jewel.Board(game), st.sampled_from(GAMES), FENS)


def of_type(node: ast.expr) -> Strategy:
    """Arguments of a type as the stubs write it."""
    if isinstance(node, ast.BinOp):
        return st.one_of(of_type(node.left), of_type(node.right))
    if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "Literal":
        words = [word.value for word in ast.walk(node.slice) if isinstance(word, ast.Constant)]
        return st.one_of(st.sampled_from(words), st.text(max_size=5))
    texts = st.one_of(FENS, MOVES, st.sampled_from(GAMES))
    types: dict[str, Callable[[], Strategy]] = {
        "str": lambda: texts,
        "int": lambda: st.one_of(st.integers(-3, 90), st.integers()),
        "float": st.floats,
        "bool": st.booleans,
        "None": st.none,
        "object": lambda: ANY,
        "_T": lambda: ANY,
        "Game": lambda: st.sampled_from(GAMES).map(jewel.Game),
        "Board": boards,
        "Value": lambda: st.sampled_from([jewel.Value("draw"), jewel.Value("loss", 2)]),
        "Limit": lambda: st.builds(jewel.Limit, nodes=st.integers(0, 200)),
        "Agent": lambda: st.one_of(CALLED, SPECS, st.just(lambda board: board.legal_moves[0])),
        "Tables": lambda: st.builds(tables),
        "Callable": lambda: CALLED,
        "NDArray": arrays,
        "PathLike": files,
        "list[str]": lambda: st.lists(texts, max_size=3),
        "list[float]": lambda: st.lists(st.one_of(st.floats(), st.sampled_from([0.0, 0.5, 1.0])), max_size=9),
        "Mapping": lambda: st.dictionaries(st.text(max_size=3), st.one_of(CALLED, SPECS), max_size=3),
    }
    whole = ast.unparse(node)
    return types[whole if whole in types else whole.split("[")[0]]()


def arguments(data: st.DataObject, node: ast.FunctionDef) -> tuple[list[Any], dict[str, Any]]:
    """Arguments of a function; those with defaults are there or not."""

    def one(argument: ast.arg) -> Any:
        assert argument.annotation is not None
        kind, name = ast.unparse(argument.annotation), argument.arg
        if name == "spec":
            usual = SPECS
        elif node.name in ("solve", "build_tables", "grade") and name == "game":
            # Others would be searched for hours, or lead to no position of the tables.
            usual = st.sampled_from(["duel", "duell", "duel:", jewel.Game("duel")])
        else:
            usual = NAMED[name] if name in NAMED and kind != "Tables" else of_type(argument.annotation)
        wrong = st.sampled_from([None, b"\xff", [], object(), "\ud800", 1j])
        return data.draw(st.one_of(usual, usual, usual, usual, wrong), label=name)

    taken = [argument for argument in [*node.args.posonlyargs, *node.args.args] if argument.arg not in ("self", "cls")]
    required = len(taken) - len(node.args.defaults)
    positional = [one(argument) for n, argument in enumerate(taken) if n < required or data.draw(st.booleans())]
    # Left out, they are a thousand.
    named = [argument for argument in node.args.kwonlyargs if argument.arg == "positions" or data.draw(st.booleans())]
    return positional, {argument.arg: one(argument) for argument in named}


@pytest.mark.parametrize(("file", "owner", "name"), ENTRIES, ids=lambda part: str(part))
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_every_entry(file: str, owner: str | None, name: str, place: Path, data: st.DataObject) -> None:
    node = functions(file, owner)[name]
    if owner is None:
        call = getattr(jewel, name)
    elif name == "__new__":
        call = getattr(jewel, owner)
    else:
        target = MAKERS[owner](data.draw(st.sampled_from(GAMES)))
        if any(ast.unparse(decorator) == "property" for decorator in node.decorator_list):
            getattr(target, name)
            return
        call = getattr(target, name)
    positional, keywords = arguments(data, node)
    attempt(call, *positional, **keywords)


@pytest.mark.parametrize("owner", CLASSES)
@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_what_every_object_has(owner: str, place: Path, data: st.DataObject) -> None:
    """Texts, copies, and comparisons with anything."""
    target = MAKERS[owner](data.draw(st.sampled_from(GAMES)))
    other = data.draw(st.one_of(ANY, boards()))
    assert repr(target) and str(target) and (target == other) != (target != other)
    for call in (hash, len, list, copy.copy, copy.deepcopy, pickle.dumps):
        attempt(call, target)
    attempt(lambda: target < other)
    attempt(lambda: target[other])
    attempt(lambda: other in target)


@pytest.mark.parametrize("module", ["pettingzoo", "openspiel"])
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(game=st.one_of(st.sampled_from(GAMES), ANY), action=ANY, most=NAMED["max_plies"])
def test_environments(module: str, game: Any, action: Any, most: Any) -> None:
    pytest.importorskip({"pettingzoo": "pettingzoo", "openspiel": "pyspiel"}[module])
    if module == "openspiel":
        from jewel.openspiel import load_game

        attempt(load_game, game)
        return
    from jewel.pettingzoo import JewelEnv

    environment = attempt(JewelEnv, game, max_plies=most)
    if environment is not None:
        attempt(environment.reset, action)
        environment.reset(seed=1)
        attempt(environment.step, action)
