#!/usr/bin/env python3
"""Trains the network for every game on games of many variants.

    tools/general-net/train.py variants.jsonl GAMES... WEIGHTS [--begin WEIGHTS] [--apart NAME,NAME]

variants.jsonl is what the example describe_pieces of jewel-search writes, and GAMES are folders that the example
general_games fills; make_variants.py makes up variants. WEIGHTS is the file that the program includes
(search/src/evaluate/general_net/weights). Variants that are kept apart are not trained on; how well they are foretold
shows what the network is worth elsewhere. With --begin the weights of an earlier file are trained on. Variants in which captured
pieces come back from hands are trained on apart from all others; their weights are hand-weights beside the other file.

Needs numpy, jax and optax. Fourteen million positions take about six minutes on two cores.
"""

import argparse
import json
import os
import time

import jax
import jax.numpy as jnp
import numpy as np
import optax

HIDDEN, NEURONS, BUCKETS = 128, 64, 4
# Additional rows, of usual pieces (ROWS in search/src/evaluate/general_net/usual.rs).
ROWS = 930
BATCH, EPOCHS, RATE, DECAY = 1024, 5, 0.001, 0.5
# By how much more a step changes the rows of usual pieces than other weights: few positions have each of them.
GAIN = 3
# Centipawns by which an output of one is worth more (UNIT in search/src/evaluate/general_net). Games differ in how sure a win is
# with an advantage, so that the network says what positions are worth, not what the odds are.
UNIT = 300
# Of the target, the part of the score; the rest is the result of the game.
TRUST = 0.9
# Positions of one variant that are used, at most.
MOST = 1_500_000


class Variant:
    """The facts of one variant's pieces and the positions of one file of its games."""

    def __init__(self, described, file):
        self.name = os.path.splitext(os.path.basename(described["file"]))[0]
        self.area, self.kinds = described["area"], described["kinds"]
        # Where the sides are alike, Black's pieces have the features of White's as Black sees the board.
        self.alike = "seen" in described
        sides = [described["facts"]] + ([] if self.alike else [described["facts_of_black"]])
        facts = np.array(sides, np.float32)
        board = self.kinds * self.area
        # All places of a type follow each other: 64 squares, and in a game with hands the first, second, third one in hand and so on.
        self.places = 64 + (facts.shape[1] - board) // self.kinds
        wide = np.zeros((len(sides), self.kinds, self.places, facts.shape[2]), np.float32)
        wide[:, :, : self.area] = facts[:, :board].reshape(len(sides), self.kinds, self.area, -1)
        wide[:, :, 64:] = facts[:, board:].reshape(len(sides), self.kinds, self.places - 64, -1)
        self.facts = wide.reshape(-1, facts.shape[2])
        # The row of a usual piece on each square; -1, the last one, is always empty.
        usual = [described["usual"]] + ([] if self.alike else [described["usual_of_black"]])
        usual = np.array([[-1 if row is None else row for row in side] for side in usual])
        wide = np.full((len(sides), self.kinds, self.places), -1)
        wide[:, :, : self.area] = usual.reshape(len(sides), self.kinds, self.area)
        self.pieces = self.facts, wide.ravel()
        self.seen = np.arange(64)
        if self.alike:
            self.seen[: self.area] = described["seen"]
        self.read(file, described["fingerprint"])

    def read(self, file, fingerprint):
        """Reads the positions; search/src/train/samples.rs writes them, after the fingerprint of the rules."""
        data = np.fromfile(file, np.uint8)
        if data[:8].view("<u8")[0] != fingerprint:
            raise SystemExit(f"{file}: games of other rules")
        count, lengths = int(data[12:16].view("<u4")[0]), data.tobytes()
        places, at = np.zeros(count, np.int64), 16
        for n in range(count):
            places[n] = at
            at += 12 + 2 * lengths[at + 11]
        places = places[:: max(1, -(-count // MOST))]
        heads = data[places[:, None] + np.arange(12)]
        game = heads[:, :4].copy().view("<u4")[:, 0]
        score, self.hand = heads[:, 7:11].copy().view("<i2").astype(float).T
        self.mover, result, pieces = heads[:, 4], heads[:, 5].astype(float), heads[:, 11]
        self.board = np.zeros((len(places), 64), np.uint8)
        # By twice the type and the side: how many pieces are in hand.
        self.held = np.zeros((len(places), 2 * self.kinds), np.uint8)
        for n in range(pieces.max()):
            having = np.nonzero(pieces > n)[0]
            code = data[places[having] + 12 + 2 * n] + 256 * data[places[having] + 13 + 2 * n].astype(int)
            owned = (code >> 7 & 255) * 2 + (code >> 6 & 1)
            in_hand = code >= 1 << 15
            self.board[having[~in_hand], code[~in_hand] & 63] = owned[~in_hand] + 1
            self.held[having[in_hand], owned[in_hand]] = code[in_hand] & 63
        # Whether wins are numbered first or last follows from the scores.
        sign = np.sign(np.corrcoef(result, score)[0, 1])
        result = (1 + sign * (result - 1)) / 2
        surprise = lambda unit: np.mean(np.logaddexp(0, score / unit) - result * score / unit)
        self.unit = min(np.exp(np.linspace(np.log(40), np.log(1000), 60)), key=surprise)
        self.target = (TRUST / (1 + np.exp(-score / self.unit)) + (1 - TRUST) * result).astype(np.float32)
        apart = game % 16 == 0
        self.fitted, self.apart = np.nonzero(~apart)[0], np.nonzero(apart)[0]

    def batch(self, numbers):
        """Own and enemy pieces as the mover sees them, output weights, odds by the evaluation, odds for an output, target."""
        board = self.board[numbers].astype(int)
        position, square = np.nonzero(board)
        code = board[position, square] - 1
        place = np.where(code & 1 == 0, square, self.seen[square])
        for n in range(self.places - 64):
            having, owned = np.nonzero(self.held[numbers] > n)
            position, code = np.append(position, having), np.append(code, owned)
            place = np.append(place, np.full(len(having), 64 + n))
        feature = (code >> 1) * self.places + place
        if not self.alike:
            feature += (code & 1) * self.kinds * self.places
        pieces = np.zeros((2, len(numbers), len(self.facts)), np.float32)
        pieces[((code & 1) != self.mover[numbers][position]).astype(int), position, feature] = 1
        bucket = np.minimum((np.maximum((board > 0).sum(1), 1) - 1) * 2 * BUCKETS // self.area, BUCKETS - 1)
        hand = (self.hand[numbers] / self.unit).astype(np.float32)
        return pieces[0], pieces[1], bucket.astype(np.int32), hand, np.float32(UNIT / self.unit), self.target[numbers]


def layers(key, sizes, last):
    """Random layers, the last one scaled."""
    found = []
    for n, (come, go) in enumerate(zip(sizes, sizes[1:])):
        key, own = jax.random.split(key)
        scale = np.sqrt(2 / come) * (last if n == len(sizes) - 2 else 1)
        found.append((jax.random.normal(own, (come, go)) * scale, jnp.zeros(go)))
    return found


def rows(head, more, pieces):
    """The row of each piece on each square: what follows from its facts, and the additional rows of usual pieces."""
    facts, usual = pieces
    for n, (weights, bias) in enumerate(head):
        facts = facts @ weights + bias
        if n < len(head) - 1:
            facts = jax.nn.relu(facts)
    return facts + GAIN * jnp.concatenate([more, jnp.zeros((1, more.shape[1]))])[usual]


def error(model, pieces, batch):
    """The mean Kullback-Leibler divergence from the targets, in nats, with the network and without."""
    own, enemy, bucket, hand, scale, target = batch
    ours, theirs = rows(model["own"], model["own_usual"], pieces), rows(model["enemy"], model["enemy_usual"], pieces)
    sums = [own @ ours + enemy @ theirs + model["bias"], enemy @ ours + own @ theirs + model["bias"]]
    seen = jnp.concatenate([jnp.clip(x, 0, 1) ** 2 for x in sums], 1)
    odds = hand + scale * (jnp.sum(seen * model["out"][bucket], 1) + model["out_bias"][bucket])
    certain = jnp.clip(target, 1e-6, 1 - 1e-6)
    entropy = -(certain * jnp.log(certain) + (1 - certain) * jnp.log(1 - certain))
    divergence = lambda odds: jnp.mean(jax.nn.softplus(odds) - target * odds - entropy)
    return divergence(odds), divergence(hand)


def fresh(facts, usual):
    """A network that knows nothing."""
    keys = jax.random.split(jax.random.PRNGKey(1), 3)
    sizes = [facts, HIDDEN, HIDDEN, NEURONS]
    return {
        "own": layers(keys[0], sizes, 0.15),
        "enemy": layers(keys[1], sizes, 0.15),
        "bias": jnp.full(NEURONS, 0.25),
        "out": jax.random.normal(keys[2], (BUCKETS, 2 * NEURONS)) * 0.02,
        "out_bias": jnp.zeros(BUCKETS),
        "own_usual": jnp.zeros((usual, NEURONS)),
        "enemy_usual": jnp.zeros((usual, NEURONS)),
    }


def train(variants, apart, model):
    fitted = [variant for variant in variants if variant.name not in apart]
    steps = EPOCHS * sum(-(-len(variant.fitted) // BATCH) for variant in fitted)
    optimiser = optax.chain(
        optax.clip_by_global_norm(1.0), optax.adamw(optax.cosine_decay_schedule(RATE, steps), weight_decay=DECAY)
    )
    state = optimiser.init(model)

    @jax.jit
    def step(model, state, pieces, batch):
        slope = jax.grad(lambda model: error(model, pieces, batch)[0])(model)
        change, state = optimiser.update(slope, state, model)
        model = optax.apply_updates(model, change)
        # As large as integers have room for in units of 1/512: in larger ones rounding would cost some centipawns.
        model["out"] = jnp.clip(model["out"], -127 / 512, 127 / 512)
        return model, state

    measure = jax.jit(error)
    random, begun = np.random.default_rng(1), time.time()
    for epoch in range(EPOCHS):
        jobs = []
        for variant in fitted:
            order = random.permutation(variant.fitted)
            order = np.resize(order, -(-len(order) // BATCH) * BATCH)
            jobs += [(variant, part) for part in order.reshape(-1, BATCH)]
        for n in random.permutation(len(jobs)):
            variant, part = jobs[n]
            model, state = step(model, state, variant.pieces, variant.batch(part))
        print(f"epoch {epoch + 1}, {time.time() - begun:.0f} s", flush=True)
    for variant in variants:
        tested = variant.apart if variant.name not in apart else np.arange(len(variant.target))
        tested = np.resize(tested, max(BATCH, len(tested) // BATCH * BATCH))[: 8 * BATCH]
        parts = [measure(model, variant.pieces, variant.batch(part)) for part in tested.reshape(-1, BATCH)]
        new, old = np.mean(np.array(parts), 0)
        note = ", kept apart" if variant.name in apart else ""
        print(f"{variant.name}: {len(variant.target)} positions, error {old:.5f} -> {new:.5f}{note}")
    return model


# What follows the two heads in the file.
REST = "bias", "out", "out_bias", "own_usual", "enemy_usual"


def arrays(model):
    """All weights in the order of the file: each layer's weights before its bias."""
    heads = [array for head in ("own", "enemy") for layer in model[head] for array in layer]
    return heads + [model[name] for name in REST]


def read(file, model):
    """Puts the numbers of a file in place of those of a network; what an older file lacks stays."""
    numbers = (np.fromfile(file, "<u2").astype(np.uint32) << 16).view(np.float32)
    found, at = [], 0
    for array in arrays(model):
        taken = numbers[at : at + array.size]
        found.append(jnp.array(taken).reshape(array.shape) if len(taken) == array.size else array)
        at += array.size
    layers = iter(found)
    heads = {head: [(next(layers), next(layers)) for _ in range(3)] for head in ("own", "enemy")}
    rest = dict(zip(REST, layers))
    return heads | rest | {name: rest[name] / GAIN for name in ("own_usual", "enemy_usual")}


def write(model, file):
    """Writes the upper halves of the floats."""
    model = model | {name: GAIN * model[name] for name in ("own_usual", "enemy_usual")}
    numbers = np.concatenate([np.asarray(array).ravel() for array in arrays(model)])
    bits = numbers.astype(np.float32).view(np.uint32).astype(np.uint64)
    ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype("<u2").tofile(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("variants")
    parser.add_argument("games", nargs="+")
    parser.add_argument("weights")
    parser.add_argument("--begin", metavar="WEIGHTS")
    parser.add_argument("--apart", default="")
    options = parser.parse_args()
    described = [json.loads(line) for line in open(options.variants, encoding="utf-8")]
    name = lambda one: os.path.basename(one["file"])[: -len(".toml")]
    files = [(one, os.path.join(folder, name(one) + ".games")) for folder in options.games for one in described]
    variants = [Variant(one, file) for one, file in files if os.path.exists(file)]
    # Games with hands have no rows for usual pieces.
    model = fresh(variants[0].facts.shape[1], ROWS if variants[0].places == 64 else 0)
    if options.begin:
        model = read(options.begin, model)
    write(train(variants, options.apart.split(","), model), options.weights)


if __name__ == "__main__":
    main()
