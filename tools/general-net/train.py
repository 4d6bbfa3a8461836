#!/usr/bin/env python3
"""Trains the network for every game on the lessons of many variants.

    tools/general-net/train.py variants.jsonl LESSONS WEIGHTS [--apart NAME,NAME]

variants.jsonl is what the example describe_pieces of jewel-search writes. LESSONS is a folder with NAME.lesson, the state file of
`jewel train --variant NAME.toml --minutes N --state NAME.lesson`, for each NAME.toml of these variants. WEIGHTS is the file that the
program includes (search/src/evaluate/general_net/weights). Variants that are kept apart are not trained on; how well they are
foretold shows what the network is worth elsewhere.

Needs numpy, jax and optax. Half a million positions take about five minutes on two cores.
"""

import argparse
import json
import os
import struct
import time

import jax
import jax.numpy as jnp
import numpy as np
import optax

KINDS, HIDDEN, NEURONS, BUCKETS = 10, 128, 64, 4
FEATURES = KINDS * 64
BATCH, EPOCHS, RATE, DECAY = 2048, 6, 0.003, 1.0
# Of the target, the part of the score; the rest is the result of the game.
TRUST = 0.9
# Positions of one variant that are used, at most.
MOST = 150_000


class Variant:
    """The facts of one variant's pieces and the positions of its lesson."""

    def __init__(self, described, lessons):
        self.name = os.path.splitext(os.path.basename(described["file"]))[0]
        self.area = described["area"]
        kinds, facts = described["kinds"], np.array(described["facts"], np.float32)
        wide = np.zeros((KINDS, 64, facts.shape[1]), np.float32)
        wide[:kinds, : self.area] = facts.reshape(kinds, self.area, -1)
        self.facts = wide.reshape(FEATURES, -1)
        self.seen = np.arange(64)
        self.seen[: self.area] = described["seen"]
        self.read(os.path.join(lessons, self.name + ".lesson"), described["fingerprint"])

    def read(self, file, fingerprint):
        """Reads the positions of a state file; cli/src/commands/train/state.rs and samples.rs of jewel-search write them."""
        data = open(file, "rb").read()
        at = len(b"jewellesson 2") + 16 + len(b"jeweltrain 2")
        if struct.unpack_from("<Q", data, at)[0] != fingerprint:
            raise SystemExit(f"{file}: a lesson of other rules")
        at += 12
        for _ in range(2):
            at += 8 + struct.unpack_from("<Q", data, at)[0]
        count = struct.unpack_from("<I", data, at + 12)[0]
        at += 16
        self.board = np.zeros((count, 64), np.uint8)
        rest = np.zeros((count, 5), np.int32)
        for n in range(count):
            game, mover, result, _, score, hand, pieces = struct.unpack_from("<IBBBhhB", data, at)
            codes = np.frombuffer(data, "<u2", pieces, at + 12)
            self.board[n, codes & 63] = (codes >> 7) * 2 + (codes >> 6 & 1) + 1
            rest[n] = game, mover, result, score, hand
            at += 12 + 2 * pieces
        step = max(1, -(-count // MOST))
        self.board, rest = self.board[::step], rest[::step]
        self.mover, score, self.hand = rest[:, 1], rest[:, 3].astype(float), rest[:, 4]
        # Whether wins are numbered first or last follows from the scores.
        sign = np.sign(np.corrcoef(rest[:, 2], score)[0, 1])
        result = (1 + sign * (rest[:, 2] - 1)) / 2
        surprise = lambda unit: np.mean(np.logaddexp(0, score / unit) - result * score / unit)
        self.unit = min(np.exp(np.linspace(np.log(40), np.log(1000), 60)), key=surprise)
        self.target = (TRUST / (1 + np.exp(-score / self.unit)) + (1 - TRUST) * result).astype(np.float32)
        held = rest[:, 0] % 16 == 0
        self.fitted, self.held = np.nonzero(~held)[0], np.nonzero(held)[0]

    def batch(self, numbers):
        """Own and enemy pieces as the side to move sees them, output weights, evaluation and target."""
        board = self.board[numbers].astype(int)
        position, square = np.nonzero(board)
        code = board[position, square] - 1
        feature = (code >> 1) * 64 + np.where(code & 1 == 0, square, self.seen[square])
        pieces = np.zeros((2, len(numbers), FEATURES), np.float32)
        pieces[((code & 1) != self.mover[numbers][position]).astype(int), position, feature] = 1
        bucket = np.minimum((np.maximum((board > 0).sum(1), 1) - 1) * 2 * BUCKETS // self.area, BUCKETS - 1)
        hand = (self.hand[numbers] / self.unit).astype(np.float32)
        return pieces[0], pieces[1], bucket.astype(np.int32), hand, self.target[numbers]


def layers(key, sizes, last):
    """Random layers, the last one scaled."""
    found = []
    for n, (come, go) in enumerate(zip(sizes, sizes[1:])):
        key, own = jax.random.split(key)
        scale = np.sqrt(2 / come) * (last if n == len(sizes) - 2 else 1)
        found.append((jax.random.normal(own, (come, go)) * scale, jnp.zeros(go)))
    return found


def rows(head, facts):
    for n, (weights, bias) in enumerate(head):
        facts = facts @ weights + bias
        if n < len(head) - 1:
            facts = jax.nn.relu(facts)
    return facts


def error(model, facts, batch):
    """The mean Kullback-Leibler divergence from the targets, in nats, with the network and without."""
    own, enemy, bucket, hand, target = batch
    ours, theirs = rows(model["own"], facts), rows(model["enemy"], facts)
    sums = [own @ ours + enemy @ theirs + model["bias"], enemy @ ours + own @ theirs + model["bias"]]
    seen = jnp.concatenate([jnp.clip(x, 0, 1) ** 2 for x in sums], 1)
    odds = hand + jnp.sum(seen * model["out"][bucket], 1) + model["out_bias"][bucket]
    certain = jnp.clip(target, 1e-6, 1 - 1e-6)
    entropy = -(certain * jnp.log(certain) + (1 - certain) * jnp.log(1 - certain))
    divergence = lambda odds: jnp.mean(jax.nn.softplus(odds) - target * odds - entropy)
    return divergence(odds), divergence(hand)


def train(variants, apart):
    facts = variants[0].facts.shape[1]
    keys = jax.random.split(jax.random.PRNGKey(1), 3)
    sizes = [facts, HIDDEN, HIDDEN, NEURONS]
    model = {
        "own": layers(keys[0], sizes, 0.15),
        "enemy": layers(keys[1], sizes, 0.15),
        "bias": jnp.full(NEURONS, 0.25),
        "out": jax.random.normal(keys[2], (BUCKETS, 2 * NEURONS)) * 0.02,
        "out_bias": jnp.zeros(BUCKETS),
    }
    fitted = [variant for variant in variants if variant.name not in apart]
    steps = EPOCHS * sum(-(-len(variant.fitted) // BATCH) for variant in fitted)
    optimiser = optax.chain(
        optax.clip_by_global_norm(1.0), optax.adamw(optax.cosine_decay_schedule(RATE, steps), weight_decay=DECAY)
    )
    state = optimiser.init(model)

    @jax.jit
    def step(model, state, facts, batch):
        slope = jax.grad(lambda model: error(model, facts, batch)[0])(model)
        change, state = optimiser.update(slope, state, model)
        model = optax.apply_updates(model, change)
        # As large as integers of the smallest unit have room for.
        model["out"] = jnp.clip(model["out"], -127 / 64, 127 / 64)
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
            model, state = step(model, state, variant.facts, variant.batch(part))
        print(f"epoch {epoch + 1}, {time.time() - begun:.0f} s", flush=True)
    for variant in variants:
        held = variant.held if variant.name not in apart else np.arange(len(variant.target))
        held = np.resize(held, max(BATCH, len(held) // BATCH * BATCH))[: 8 * BATCH]
        parts = [measure(model, variant.facts, variant.batch(part)) for part in held.reshape(-1, BATCH)]
        new, old = np.mean(np.array(parts), 0)
        note = ", kept apart" if variant.name in apart else ""
        print(f"{variant.name}: {len(variant.target)} positions, error {old:.5f} -> {new:.5f}{note}")
    return model


def write(model, file):
    """Writes the upper halves of the floats, each layer's weights before its bias."""
    numbers = [np.asarray(part).ravel() for head in ("own", "enemy") for layer in model[head] for part in layer]
    numbers += [np.asarray(model[name]).ravel() for name in ("bias", "out", "out_bias")]
    bits = np.concatenate(numbers).astype(np.float32).view(np.uint32).astype(np.uint64)
    ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype("<u2").tofile(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("variants")
    parser.add_argument("lessons")
    parser.add_argument("weights")
    parser.add_argument("--apart", default="")
    options = parser.parse_args()
    described = [json.loads(line) for line in open(options.variants, encoding="utf-8")]
    variants = [Variant(one, options.lessons) for one in described if one["kinds"] <= KINDS]
    write(train(variants, options.apart.split(",")), options.weights)


if __name__ == "__main__":
    main()
