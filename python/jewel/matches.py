"""Games between players, and how well a player keeps exact values.

A player is any function from a board to a move; `jewel.Player` is one.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from jewel._jewel import Board, Game, JewelError, Player, Tables, elo

Agent: TypeAlias = Callable[[Board], str]


@dataclass(frozen=True)
class Record:
    """A game that was played."""

    white: str
    black: str
    result: str
    """``"1-0"``, ``"0-1"`` or ``"1/2-1/2"``."""
    reason: str
    """``"rule"``, ``"repetition"``, ``"length"``, or what a player did that lost it the game."""
    start: str
    """The position string of the first position."""
    moves: tuple[str, ...]
    opening: int
    """How many of the moves are of the opening."""


@dataclass(frozen=True)
class Standing:
    """What a player has reached."""

    name: str
    wins: int
    draws: int
    losses: int
    elo: float | None
    """The difference in Elo to the other players; ``None`` where it is infinite."""
    elo_error: float | None
    """Half of its 95% interval; ``None`` where it is infinite."""

    @property
    def games(self) -> int:
        """How many games were played."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Points for each game, from 0 to 1."""
        return (self.wins + self.draws / 2) / self.games if self.games else 0.5


@dataclass(frozen=True)
class Tournament:
    """The result of a tournament."""

    standings: tuple[Standing, ...]
    """Best first."""
    records: tuple[Record, ...]

    def __str__(self) -> str:
        width = max((len(s.name) for s in self.standings), default=0)
        lines = []
        for s in self.standings:
            difference = "-" if s.elo is None else f"{s.elo:+.0f}"
            error = "" if s.elo_error is None else f" +- {s.elo_error:.0f}"
            points = f"+{s.wins} ={s.draws} -{s.losses}"
            lines.append(f"{s.name:{width}}  {points}  {100 * s.score:.1f}%  Elo {difference}{error}")
        return "\n".join(lines)


def _resolved(game: Game | str) -> Game:
    return game if isinstance(game, Game) else Game(game)


def _agent(game: Game, name: str, player: Agent | str) -> Agent:
    agent = Player(game, player) if isinstance(player, str) else player
    if isinstance(agent, Player) and agent.needs_limit:
        raise ValueError(f'player "{name}": it would think without end: give it nodes, playouts, depth or time')
    if not callable(agent):
        raise ValueError(f'player "{name}": it is neither a function from boards to moves nor a description of a player')
    return agent


def _walk(game: Game, plies: int, dice: random.Random) -> Board | None:
    """A position after random moves, unless the game is over before."""
    board = game.board(game.deal(dice.getrandbits(63)))
    for _ in range(plies):
        if board.is_game_over():
            return None
        board.push(dice.choice(board.legal_moves))
    return None if board.is_game_over() else board


def _random_board(game: Game, plies: int, dice: random.Random) -> Board:
    """A position after random moves in which the game is not over."""
    for _ in range(1000):
        board = _walk(game, plies, dice)
        if board is not None:
            return board
    raise JewelError(f"no {plies} random moves were found that leave the game open: take fewer")


def _play(board: Board, agents: Mapping[bool, tuple[str, Agent]], max_plies: int, seed: int) -> Record:
    """One game from a board on; the board is played to its end."""
    dice = random.Random(seed)
    opening = board.ply()
    result, reason = "1/2-1/2", "length"
    for color in (True, False):
        agent = agents[color][1]
        if isinstance(agent, Player):
            agent.new_game(board, dice.getrandbits(63))
    while board.ply() < max_plies:
        outcome = board.outcome()
        if outcome is not None:
            result, reason = outcome.result(), outcome.termination
            break
        color = board.turn
        name, agent = agents[color]
        move = agent(board.copy())
        try:
            if not isinstance(move, str):
                raise ValueError(f"{move!r} is not a text")
            board.push(board.roll(move, dice.getrandbits(63)) if board.game.has_dice else move)
        except ValueError as error:
            result, reason = ("0-1" if color else "1-0"), f"{name} played an illegal move, {move!r}: {error}"
            break
    else:
        outcome = board.outcome()
        if outcome is not None:
            result, reason = outcome.result(), outcome.termination
    return Record(
        white=agents[True][0],
        black=agents[False][0],
        result=result,
        reason=reason,
        start=board.root().fen(),
        moves=tuple(board.move_stack),
        opening=opening,
    )


def _standing(name: str, points: list[float]) -> Standing:
    difference, error = elo(points)
    return Standing(name, points.count(1.0), points.count(0.5), points.count(0.0), difference, error)


def tournament(
    game: Game | str,
    players: Mapping[str, Agent | str],
    *,
    rounds: int = 10,
    opening_plies: int = 2,
    max_plies: int = 500,
    seed: int = 1,
    on_game: Callable[[Record], object] | None = None,
) -> Tournament:
    """Plays every player against every other one, each opening twice with colours swapped.

    Args:
        game: a `Game`, or the name of one.
        players: by name, functions from boards to moves, or texts as `Player` takes them.
        rounds: openings of each pair of players.
        opening_plies: random moves before the players take over.
        max_plies: games of so many plies are drawn.
        seed: of openings, dice and random choices of our players.
        on_game: called after each game.

    Raises:
        ValueError: a player is none, or there are fewer than two.

    A player that gives an illegal move loses the game. What a function raises ends the tournament.

    >>> import jewel
    >>> first = lambda board: board.legal_moves[0]
    >>> result = jewel.tournament("duel", {"first": first, "depth 4": "ab,depth=4"}, rounds=3)
    >>> result.standings[0].name, len(result.records)
    ('depth 4', 6)
    """
    game = _resolved(game)
    if len(players) < 2:
        raise ValueError("players: a tournament has two or more")
    for name, number, least in (("rounds", rounds, 1), ("opening_plies", opening_plies, 0), ("max_plies", max_plies, 1)):
        if number < least:
            raise ValueError(f"{name}: {number} is less than {least}")
    agents = {name: _agent(game, name, player) for name, player in players.items()}
    points: dict[str, list[float]] = {name: [] for name in agents}
    records: list[Record] = []
    dice = random.Random(seed)
    for _ in range(rounds):
        for one, other in itertools.combinations(agents, 2):
            opening = _random_board(game, opening_plies, dice)
            for white, black in ((one, other), (other, one)):
                seats = {True: (white, agents[white]), False: (black, agents[black])}
                record = _play(opening.copy(), seats, max_plies, dice.getrandbits(63))
                records.append(record)
                of_white = {"1-0": 1.0, "0-1": 0.0}.get(record.result, 0.5)
                points[white].append(of_white)
                points[black].append(1.0 - of_white)
                if on_game is not None:
                    on_game(record)
    standings = [_standing(name, results) for name, results in points.items()]
    standings.sort(key=lambda standing: -standing.score)
    return Tournament(tuple(standings), tuple(records))


@dataclass(frozen=True)
class Mistake:
    """A move that did not keep the value of its position."""

    fen: str
    move: str
    value: str
    """What the position was worth to the player: ``"win"`` or ``"draw"``."""
    after: str
    """What it was worth after the move."""
    best: str
    """A move that keeps the value."""


@dataclass(frozen=True)
class Grade:
    """How many of a player's moves kept win, draw or loss."""

    positions: int
    """Positions in which the player was asked."""
    decisions: int
    """Those in which another move would not have kept the value."""
    kept: int
    """Positions whose value was kept."""
    kept_decisions: int
    """Decisions in which it was."""
    extra_plies: float
    """By how many plies kept wins took longer than the fastest, on average."""
    mistakes: tuple[Mistake, ...] = field(repr=False)

    @property
    def share(self) -> float:
        """The share of positions whose value was kept."""
        return self.kept / self.positions if self.positions else 1.0

    @property
    def share_of_decisions(self) -> float:
        """The share of decisions that kept the value: what tells players apart."""
        return self.kept_decisions / self.decisions if self.decisions else 1.0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of `share_of_decisions`, by Wilson's score."""
        n, z = self.decisions, 1.959964
        if n == 0:
            return 0.0, 1.0
        middle = (self.share_of_decisions + z * z / (2 * n)) / (1 + z * z / n)
        spread = math.sqrt(self.share_of_decisions * (1 - self.share_of_decisions) / n + z * z / (4 * n * n))
        half = spread * z / (1 + z * z / n)
        return max(0.0, middle - half), min(1.0, middle + half)


def _questions(
    agent: Agent, game: Game, tables: Tables, source: str, plies: int, dice: random.Random
) -> Iterator[tuple[Board, bool]]:
    """Boards without end, each with whether a new game begins: those that the player meets, or random ones."""
    fruitless = 0
    while fruitless < 1000:
        board = _walk(game, dice.randint(0, plies), dice)
        if board is None:
            fruitless += 1
            continue
        begins, known = True, False
        while not board.is_game_over() and board.ply() <= plies + 200:
            if all(_known(tables, board, move) for move in board.legal_moves):
                known = True
                yield board, begins
                begins = False
            if source == "random":
                break
            board.push(agent(board.copy()))
        fruitless = 0 if known else fruitless + 1
    raise JewelError("no positions were found that the tables know: build larger ones, or raise plies")


def _known(tables: Tables, board: Board, move: str) -> bool:
    board.push(move)
    known = board.is_game_over() or board in tables
    board.pop()
    return known


def grade(
    agent: Agent | str,
    game: Game | str,
    tables: Tables,
    *,
    positions: int = 1000,
    plies: int = 40,
    source: Literal["random", "games"] = "random",
    seed: int = 1,
) -> Grade:
    """Asks a player for its move in many positions and tells, by tables, how many of the moves keep win, draw or loss.

    Args:
        agent: a function from boards to moves, or a text as `Player` takes it.
        game: a `Game`, or the name of one.
        tables: the tables that hold the positions and all of their moves; others are skipped.
        positions: how many.
        plies: most random moves from the start position.
        source: ``"random"``: positions after random moves; ``"games"``: those that the player meets in games against
            itself that begin so.
        seed: of the positions and of random choices of our players.

    Raises:
        ValueError: the player gives an illegal move.
        JewelError: no positions are found that the tables know.
    """
    game = _resolved(game)
    if positions < 1 or plies < 0:
        raise ValueError("positions and plies: give whole numbers, of positions from 1")
    if source not in ("random", "games"):
        raise ValueError(f'source: "{source}" is not "random" or "games"')
    player = _agent(game, "agent", agent)
    kept = decisions = kept_decisions = 0
    extra: list[int] = []
    mistakes: list[Mistake] = []
    dice = random.Random(seed)
    questions = _questions(player, game, tables, source, plies, dice)
    for board, begins in itertools.islice(questions, positions):
        if isinstance(player, Player) and begins:
            player.new_game(board, dice.getrandbits(63))
        values = dict(tables.moves(board))
        move = board.parse_san(player(board.copy()))
        best_move, best = next(iter(values.items()))
        found = values[move]
        keeps = found.value == best.value
        decision = any(value.value != best.value for value in values.values())
        kept += keeps
        decisions += decision
        kept_decisions += decision and keeps
        if not keeps:
            mistakes.append(Mistake(board.fen(), move, best.value, found.value, best_move))
        elif best.value == "win" and found.distance is not None and best.distance is not None:
            extra.append(found.distance - best.distance)
    mean = sum(extra) / len(extra) if extra else 0.0
    return Grade(positions, decisions, kept, kept_decisions, mean, tuple(mistakes))
