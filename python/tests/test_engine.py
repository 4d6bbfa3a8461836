"""Searches and players."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import jewel
import pytest


@pytest.mark.parametrize("algorithm", ["ab", "mcts"])
def test_both_searchers_win(algorithm: str) -> None:
    board = jewel.Board("ambush", "n4/5/5/5/2L1N w - - 0 1")
    engine = jewel.Engine("ambush", algorithm, hash=4)  # type: ignore[arg-type]
    limit = jewel.Limit(nodes=20_000, playouts=2_000)
    assert engine.play(board, limit).move == "c1c3"
    [line] = engine.analyse(board, limit)
    assert line["score"]["kind"] == "win" and line["pv"][0] == "c1c3"


def test_a_search_on_one_thread_is_reproduced() -> None:
    board = jewel.Board("diamond-quest")

    def found() -> tuple[object, int]:
        result = jewel.Engine("diamond-quest", hash=4).play(board, jewel.Limit(depth=6))
        return result.move, result.info["nodes"]

    assert found() == found()


def test_lines_and_moves_to_search() -> None:
    board = jewel.Board("ambush")
    engine = jewel.Engine("ambush", hash=4)
    lines = engine.analyse(board, jewel.Limit(depth=3), multipv=3)
    assert [line["multipv"] for line in lines] == [1, 2, 3]
    move = board.legal_moves[-1]
    assert engine.play(board, jewel.Limit(depth=3), root_moves=[move]).move == move
    with pytest.raises(ValueError, match="b9"):
        engine.play(board, jewel.Limit(depth=3), root_moves=["b9b9"])


def test_callbacks_end_searches() -> None:
    board = jewel.Board("diamond-chess")
    engine = jewel.Engine("diamond-chess", hash=4)
    seen: list[int] = []

    def enough(info: object) -> bool:
        seen.append(info["depth"])  # type: ignore[index]
        return len(seen) < 3

    engine.analyse(board, jewel.Limit(time=60), on_info=enough)
    assert len(seen) >= 3

    def angry(info: object) -> None:
        raise LookupError("no")

    with pytest.raises(LookupError, match="no"):
        engine.analyse(board, jewel.Limit(time=60), on_info=angry)
    # It is ready for the next search.
    assert engine.play(board, jewel.Limit(depth=1)).move in board.legal_moves


def test_a_busy_engine_says_so() -> None:
    board = jewel.Board("duel")
    engine = jewel.Engine("duel", hash=1)

    def again(info: object) -> None:
        engine.play(board, jewel.Limit(depth=1))

    with pytest.raises(jewel.JewelError, match="the engine is busy"):
        engine.analyse(board, jewel.Limit(depth=5), on_info=again)


def test_other_threads_go_on() -> None:
    engine = jewel.Engine("chess", hash=4)
    counter = 0
    searching = threading.Thread(target=lambda: engine.play(jewel.Board("chess"), jewel.Limit(time=0.5)))
    searching.start()
    while searching.is_alive():
        counter += 1
        time.sleep(0.001)
    assert counter > 20


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize(
    "call",
    [
        "jewel.Engine('chess', hash=1).play(jewel.Board('chess'), jewel.Limit(time=600))",
        "jewel.Engine('chess', 'mcts', hash=1).play(jewel.Board('chess'), jewel.Limit(time=600))",
        "jewel.Board('chess').perft(30)",
        "jewel.solve('ambush', memory=2 << 30)",
    ],
)
def test_ctrl_c(call: str) -> None:
    code = f"import jewel\nprint('ready', flush=True)\ntry:\n    {call}\nexcept KeyboardInterrupt:\n    print('stopped')\n"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[0] == "stopped\n" and process.returncode == 0


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: jewel.Limit(), "a limit is missing"),
        (lambda: jewel.Limit(time=-1), "time: -1 is not"),
        (lambda: jewel.Limit(time=float("nan")), "time: NaN is not"),
        (lambda: jewel.Engine("duel", "abc"), 'algorithm: "abc" is not "ab" or "mcts"'),
        (lambda: jewel.Engine("duel", threads=0), "threads: 0 is not a whole number from 1 to 1024"),
        (lambda: jewel.Engine("duel", hash=0), "hash: 0 is not"),
        (lambda: jewel.Engine("crown-jewels", "ab"), "alpha-beta search needs to see everything"),
        (lambda: jewel.Engine("duel").play(jewel.Board("ambush"), jewel.Limit(depth=1)), "the engine plays duel"),
        (lambda: jewel.Player("duel", "ab,nodes=x"), "nodes"),
        (lambda: jewel.Player("duel", "human"), "human"),
        (lambda: jewel.Player("duel", "ab")(jewel.Board("duel")), "without end"),
    ],
)
def test_mistakes_have_one_line(call, text: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError) as error:
        call()
    assert text in str(error.value) and "\n" not in str(error.value)


def test_missing_files(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere.net"):
        jewel.Engine("diamond-quest", net=tmp_path / "nowhere.net")
    with pytest.raises(jewel.JewelError, match="MiB of memory"):
        jewel.Engine("duel", hash=1 << 24)


@pytest.mark.parametrize("spec", ["random", "greedy", "ab,depth=2", "mcts,playouts=50", "name=x,kind=ab,nodes=100"])
def test_players_choose_legal_moves(spec: str) -> None:
    for game in ["duel", "kings-mate-active", "world-tree", "crystal-draughts"]:
        board = jewel.Board(game)
        player = jewel.Player(game, spec)
        player.new_game(board, 3)
        move = player(board)
        assert board.is_legal(move)
        board.push(move)
