"""Speed of the package: batches against OpenSpiel side by side, probes, import.

    python benchmarks/speed.py [ROUNDS]

Random play of breakthrough on 6x6 squares: OpenSpiel called from Python, OpenSpiel's own rollouts in C++, and `BatchEnv`, in
turns, so that load on the machine meets all of them; the ratios are of the best of each. Then probes of a warm table.
"""

import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import jewel
import numpy as np

BREAKTHROUGH = """
id = "breakthrough"
name = "Breakthrough"

[board]
size = "6x6"
start = "pppppp/pppppp/6/6/PPPPPP/PPPPPP w - - 0 1"

[[piece]]
letter = "P"
moves = "fmWfF"

[key]
goals = { w = ["rank 6"], b = ["rank 1"] }
objective = "reach"

[end]
bare = "loss"
stalemate = "loss"
"""


def rate(work: Callable[[], int]) -> float:
    """Steps a second of processor time: other programs on the machine do not count."""
    begun = time.process_time()
    steps = work()
    return steps / (time.process_time() - begun)


def batch(n: int, masks: bool) -> Callable[[], int]:
    env = jewel.BatchEnv(jewel.Game.from_toml(BREAKTHROUGH), n)
    mask = env.legal_mask()

    def work() -> int:
        for _ in range(100):
            env.step(env.sample())
            if masks:
                env.legal_mask(mask)
        return 100 * n

    return work


def openspiel() -> dict[str, Callable[[], int]]:
    import pyspiel

    game = pyspiel.load_game("breakthrough(rows=6,columns=6)")

    def python() -> int:
        steps = 0
        for _ in range(500):
            state = game.new_initial_state()
            while not state.is_terminal():
                state.apply_action(random.choice(state.legal_actions()))
                steps += 1
        return steps

    lengths = python() / 500

    def cpp() -> int:
        # A search of one simulation values its leaf, a ply from the root, by rollouts.
        evaluator = pyspiel.RandomRolloutEvaluator(1000, random.getrandbits(30))
        bot = pyspiel.MCTSBot(game, evaluator, 2.0, 1, 10, False, 1, False)
        bot.step(game.new_initial_state())
        return round(1000 * (lengths - 1))

    return {"OpenSpiel, Python": python, "OpenSpiel, C++ rollouts": cpp}


def probes() -> None:
    with tempfile.TemporaryDirectory() as folder:
        tables = jewel.build_tables("ambush", folder, "NLvNQ")
        material = tables.classes["LNvQN"]
        cells = np.random.default_rng(1).integers(0, material.cells, 60_000).tolist()
        fens = [fen for cell in cells if (fen := material.fen(True, cell))]
        tables.probe_many(fens)
        best = max(rate(lambda: len(tables.probe_many(fens))) for _ in range(20))
        print(f"probe_many, warm table: {best / 1e6:.2f} million probes a second of a core")


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    works = openspiel()
    works |= {"BatchEnv, 1024 games": batch(1024, False), "BatchEnv, 1024 games, masks": batch(1024, True)}
    best = dict.fromkeys(works, 0.0)
    for _ in range(rounds):
        for name, work in works.items():
            best[name] = max(best[name], rate(work))
    for name, steps in best.items():
        print(f"{name:28} {steps / 1e6:8.3f} million steps a second, {steps / best['OpenSpiel, Python']:6.1f} times the first")
    probes()
    code = "import time; t = time.process_time(); import jewel; print(time.process_time() - t)"
    times = [float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout) for _ in range(5)]
    print(f"import: {1000 * min(times):.0f} ms")


if __name__ == "__main__":
    main()
