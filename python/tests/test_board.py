"""Games and positions."""

import copy
import pickle
import threading
import xml.dom.minidom
from pathlib import Path

import jewel
import pytest

VARIANTS = Path(__file__).parents[2] / "examples" / "variants"


def test_every_game_opens_and_plays_a_move() -> None:
    for name in jewel.Game.ids():
        game = jewel.Game(name)
        board = game.board()
        assert board.fen() == game.start_fen
        before = board.zobrist_hash()
        move = board.legal_moves[0]
        board.push(move)
        assert board.move_stack == [move] and board.ply() == 1 and board.peek() == move
        assert board.zobrist_hash() != before
        assert board.pop() == move and board.zobrist_hash() == before
        assert board.fen() == game.start_fen


def test_names_of_python_chess() -> None:
    board = jewel.Board("chess")
    assert board.turn is True
    board.push_san("e4")
    assert board.turn is False
    assert board.parse_san("Nf6") == "g8f6" and board.san("g8f6") == "Nf6"
    assert board.is_legal("e7e5") and not board.is_legal("e7e4")
    for move in ["f7f5", "d1h5", "g7g6", "h5g6", "h7g6"]:
        board.push_uci(move)
    assert board.outcome() is None and board.result() == "*" and not board.is_game_over()
    board.set_fen("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3")
    outcome = board.outcome()
    assert outcome is not None and outcome.winner is False and outcome.result() == "0-1"
    assert board.result() == "0-1" and board.is_game_over() and board.legal_moves == []


def test_python_chess_agrees() -> None:
    chess = pytest.importorskip("chess")
    theirs, ours = chess.Board(), jewel.Board("chess")
    for _ in range(60):
        moves = sorted(move.uci() for move in theirs.legal_moves)
        assert sorted(ours.legal_moves) == moves
        move = moves[len(moves) * 5 // 7]
        theirs.push_uci(move)
        ours.push(move)
        assert theirs.is_checkmate() == (ours.outcome() is not None and ours.outcome().winner is not None)
        if theirs.is_game_over():
            break


def test_perft_and_divide() -> None:
    board = jewel.Board("diamond-chess")
    assert board.perft(0) == 1
    assert board.perft(4) == sum(board.divide(4).values())
    assert jewel.Board("chess").perft(3) == 8902
    with pytest.raises(ValueError, match="depth: 1001 is more than 1000"):
        board.perft(1001)


def test_repetition_is_a_draw() -> None:
    board = jewel.Board("duel")
    for move in ["c1b1", "a3a2", "b1b3", "a2c2", "b3b1", "c2a2"] * 3:
        if board.is_game_over():
            break
        if board.is_legal(move):
            board.push(move)
    outcome = board.outcome()
    if outcome is not None and outcome.winner is None:
        assert outcome.termination in ("repetition", "rule") and outcome.result() == "1/2-1/2"


def test_symmetry() -> None:
    game = jewel.Game("ambush")
    images = game.images("n4/5/5/5/2L1N w - - 0 1")
    assert images[0] == "n4/5/5/5/2L1N w - - 0 1" and len(images) > 1
    assert len({game.board(fen).symmetric_hash() for fen in images}) == 1
    assert len({game.board(fen).zobrist_hash() for fen in images}) == len(images)


def test_pictures() -> None:
    board = jewel.Board("ambush")
    assert "Longbowman" in str(board) and "╭" in board.unicode() and "╭" not in str(board)
    xml.dom.minidom.parseString(board.svg())
    assert board._repr_svg_() == board.svg()


def test_files_and_texts() -> None:
    file = VARIANTS / "hexapawn.toml"
    game = jewel.Game.from_file(file)
    assert game == jewel.Game.from_toml(file.read_text()) == jewel.Game(str(file))
    assert game != jewel.Game("duel") and game.is_variant
    assert repr(jewel.Game("duel")) == "Game('duel')"
    with pytest.raises(FileNotFoundError, match="nowhere.toml: No such file"):
        jewel.Game.from_file("nowhere.toml")
    with pytest.raises(FileNotFoundError, match="nowhere.toml"):
        jewel.Game("nowhere.toml")


def test_a_broken_file_is_a_value_error(tmp_path: Path) -> None:
    file = tmp_path / "broken.toml"
    file.write_text('id = "x"\n[board]\nsize = "99x99"\n')
    with pytest.raises(ValueError, match=r"broken\.toml: line 2, board.start") as error:
        jewel.Game.from_file(file)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: jewel.Game("dual"), 'no game "dual": did you mean "duel"?'),
        (lambda: jewel.Game("duel:size=4"), 'duel has no parameter "size"'),
        (lambda: jewel.Board("duel", "9/9/9"), ""),
        (lambda: jewel.Board("duel").push("a1a9"), ""),
        (lambda: jewel.Board("ambush").san("zz"), ""),
        (lambda: jewel.Game("duel").images("?"), ""),
    ],
)
def test_mistakes_have_one_line(call, text: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError) as error:
        call()
    assert text in str(error.value) and "\n" not in str(error.value)


def test_an_empty_stack() -> None:
    board = jewel.Board("duel")
    with pytest.raises(IndexError, match="no move was played"):
        board.pop()
    with pytest.raises(IndexError, match="no move was played"):
        board.peek()


def test_pickles() -> None:
    for game in (jewel.Game("ambush"), jewel.Game.from_file(VARIANTS / "hexapawn.toml")):
        assert pickle.loads(pickle.dumps(game)) == game
        board = game.board()
        board.push(board.legal_moves[0])
        again = pickle.loads(pickle.dumps(board))
        assert again == board and again.move_stack == board.move_stack
    value = jewel.Value("win", 3)
    assert pickle.loads(pickle.dumps(value)) == value


def test_copies_are_alone() -> None:
    board = jewel.Board("duel")
    board.push("c1b1")
    for other in (board.copy(), copy.copy(board), copy.deepcopy(board)):
        assert other == board and other.move_stack == board.move_stack
        other.pop()
        assert other != board
    assert board.copy(stack=False).move_stack == []
    assert board.root().fen() == board.game.start_fen


def test_dice_and_hidden_tiles() -> None:
    board = jewel.Board("kings-mate-active")
    assert board.game.has_dice and board.roll(board.legal_moves[0], 3) in board.legal_moves
    game = jewel.Game("crown-jewels")
    assert game.hides and not game.is_variant
    dealt = game.deal(5)
    assert dealt is not None and dealt == game.deal(5)
    board = game.board(dealt)
    views = {board.view(True), board.view(False)}
    assert None not in views and len(views) == 2
    assert jewel.Board("duel").view(True) is None


def test_boards_in_many_threads() -> None:
    board = jewel.Board("diamond-chess")
    counts: list[int] = []
    threads = [threading.Thread(target=lambda: counts.append(board.perft(4))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(200):
        assert board.fen() == board.game.start_fen
    for thread in threads:
        thread.join()
    assert len(set(counts)) == 1 and len(counts) == 4
