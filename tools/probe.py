#!/usr/bin/env python3
"""Reads values from a table file. Written from docs/table-format.md alone; needs only Python's standard library.
    probe.py FILE "FEN"            win, draw or loss for the side to move, and its distance in plies (or two possible ones)
    probe.py FILE - < FENS         the same for each line of standard input
    probe.py --rules HEX FILE ...  the same, if the table was made for these rules"""
import argparse, itertools, math, re, struct, sys, zlib

TOTAL = 1 << 14
SPEC = ((6, 2), (7, 2), (5, 13))  # for WDL of each part and distances: features, bits of a plain symbol
NONE = 4096

class Damaged(Exception): pass

def check(condition, what):
    if not condition: raise Damaged(what)

def rank(pieces, free):
    numbers = [i for i, s in enumerate(sorted(free)) if s in pieces]
    return sum(math.comb(c, i + 1) for i, c in enumerate(numbers))

class Literal:  # the parent of a root: symbols as plain numbers
    def __init__(self, bits):
        self.entries = [(s * (TOTAL >> bits), TOTAL >> bits, s) for s in range(1 << bits)]

class Node:
    def __init__(self, data, depth, parent):
        self.parent, self.entries, self.children, start = parent, [], {}, 0
        for _ in range(number(data)):
            symbol, freq = number(data), number(data)
            self.entries.append((start, freq, symbol))
            start += freq
        self.entries.append((start, TOTAL - start, None))
        for _ in range(number(data) if depth else 0):
            value = number(data)
            self.children[value] = Node(data, depth - 1, self)

def number(data):
    byte = next(data)
    return byte if byte < 128 else byte - 128 + 128 * number(data)

class Symbols:
    """The rANS decoder."""
    def __init__(self, data):
        check(len(data) >= 4 and len(data) % 2 == 0, "a block is too short")
        self.words, self.at = struct.unpack(f"<{len(data) // 2}H", data), 2
        self.x = self.words[1] << 16 | self.words[0]
    def read(self, node, features):
        for feature in features:
            if feature not in node.children: break
            node = node.children[feature]
        while True:
            slot = self.x % TOTAL
            start, freq, symbol = next(e for e in node.entries if slot < e[0] + e[1])
            self.x = freq * (self.x >> 14) + slot - start
            if self.x < 65536:
                check(self.at < len(self.words), "a block ends too early")
                self.x = self.x << 16 | self.words[self.at]
                self.at += 1
            if symbol is not None:
                return symbol
            node = node.parent
    def finish(self):
        check(self.x == 65536 and self.at == len(self.words), "a block does not end as it should")

class Table:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = d = file.read()
        check(len(d) >= 124 and d[:8] == b"JEWELTAB", "this is not a table file")
        version, self.width, self.height, self.metric, g, self.leading, s = struct.unpack_from("<H6B", d, 8)
        check(version == 4, f"format version {version} is not known")
        self.rules, self.cells, self.size, self.near, self.far, length, crc = struct.unpack_from("<QQ5I", d, 16)
        self.first, self.step = d[52], d[53]
        area, self.groups = self.width * self.height, []
        for at in range(56, 56 + 12 * g, 12):
            side, letter, count, _, allowed = struct.unpack_from("<4BQ", d, at)
            self.groups.append((side, chr(letter), count, frozenset(s for s in range(64) if allowed >> s & 1)))
        at = 56 + 12 * g + s * (1 + area)
        self.maps = [(d[i], d[i + 1 : i + 1 + area]) for i in range(56 + 12 * g, at, 1 + area)]
        check(zlib.crc32(d[:at]) == struct.unpack_from("<I", d, at)[0], "the header is damaged")
        model = d[at + 4 : at + 4 + length]
        check(zlib.crc32(model) == crc, "the model is damaged")
        model = iter(model)
        self.trees = [Node(model, depth, Literal(bits)) for depth, bits in SPEC[: 2 + (self.metric > 0)]]
        end = d[-64:]
        check(end[56:] == struct.pack("<I", zlib.crc32(end[:56])) + b"JEND", "the trailer is damaged")
        check(end[52:56] == d[at : at + 4], "the two ends do not belong together")
        self.indexes = struct.unpack_from("<Q8xQ", end)
        self.find_slices()
    def automorphism(self, exchange, to):
        image = [(side ^ exchange, letter, n, frozenset(to[s] for s in a)) for side, letter, n, a in self.groups]
        return [self.groups.index(i) for i in image] if all(i in self.groups for i in image) else None
    def leading_number(self, sets):
        value = 0
        for m, (_, _, n, allowed) in zip(sets, self.groups[: self.leading]):
            value = value * math.comb(len(allowed), n) + rank(m, allowed)
        return value
    def radices(self, outer):
        inner = self.groups[self.leading :]
        for j, (_, _, n, allowed) in enumerate(inner):
            free = len(allowed - outer) - sum(g[2] for g in inner[:j] if g[3] <= allowed)
            yield math.comb(free, n) if free >= n else 0
    def find_slices(self):
        maps = [(image, to) for ex, to in self.maps if (image := self.automorphism(ex, to))]
        self.starts, found = {}, []
        choices = [[frozenset(c) for c in itertools.combinations(sorted(a), n)] for _, _, n, a in self.groups[: self.leading]]
        for sets in itertools.product(*choices):
            outer = frozenset().union(*sets)
            if len(outer) != sum(map(len, sets)):
                continue
            mine = self.leading_number(sets)
            others = (sorted((image[g], [to[s] for s in m]) for g, m in enumerate(sets)) for image, to in maps)
            if all(self.leading_number([m for _, m in other]) >= mine for other in others):
                found.append((mine, math.prod(self.radices(outer))))
        start = 0
        for mine, cells in sorted(found):
            self.starts[mine] = start
            start += cells
        check(start == self.cells, "the number of cells is wrong")
    def find(self, pieces, turn):
        """Cell and side to move of a position: pieces is a list of (side, letter, square)."""
        found = []
        for exchange, to in self.maps:
            image = {(side ^ exchange, letter, to[s]) for side, letter, s in pieces}
            sets = [{s for side, letter, s in image if (side, letter) == g[:2] and s in g[3]} for g in self.groups]
            if sum(map(len, sets)) == len(image) and all(len(m) == g[2] for m, g in zip(sets, self.groups)):
                found.append((self.leading_number(sets), len(found), sets, turn ^ exchange))
        check(found, "the position does not belong to this table")
        value, _, sets, turn = min(found)
        taken, inner = frozenset().union(*sets[: self.leading]), 0
        for radix, m, g in zip(self.radices(taken), sets[self.leading :], self.groups[self.leading :]):
            inner = inner * radix + rank(m, g[3] - taken)
            taken = taken | m
        return self.starts[value] + inner, turn
    def block(self, section, block):
        at = self.indexes[section] + block // 64 * 140
        record = self.data[at : at + 140]
        check(len(record) == 140, "an index is cut short")
        offset, *lengths, crc = struct.unpack("<Q64HI", record)
        check(zlib.crc32(struct.pack("<Q", block // 64) + record[:136]) == crc, "a record of an index is damaged")
        offset += sum(lengths[: block % 64])
        data = self.data[offset : offset + lengths[block % 64]]
        crc = zlib.crc32(struct.pack("<Q", block) + data[4:])
        check(data[:4] == struct.pack("<I", crc), f"block {block} is damaged")
        return Symbols(data[4:])
    def probe(self, pieces, turn):
        cell, turn = self.find(pieces, turn)
        block, n = cell // self.size, min(self.size, self.cells - cell // self.size * self.size)
        near, far, up = self.near, self.far, self.width
        # Parts of a block: the side that comes first, the other.
        symbols, w = self.block(0, block), ([], [])
        def seen(part, i):
            return w[part][i] if 0 <= i < len(w[part]) else 3
        for part in (0, 1):
            for i in range(n):
                if part == 0:
                    key = [seen(0, i - k) for k in (far, near, 1, up, up * near, 2 * near)]
                else:
                    key = [seen(p, i + k) for p, k in ((0, 0), (0, near), (0, 1), (1, -near), (1, -1), (0, -near), (0, -1))]
                w[part].append(symbols.read(self.trees[part], key))
        symbols.finish()
        mine, i = turn ^ self.first, cell % self.size
        value, distance = w[mine][i], None
        check(value < 3, f"block {block} makes no sense")
        if value in ((), (0, 2), (0,))[self.metric]:
            distance = self.distances(block, w)[mine][i]
            distance = (self.step * distance, self.step * distance + self.step // 2)
        return ("loss", "draw", "win")[value], distance
    def distances(self, block, w):
        symbols, numbers, stored = self.block(1, block), ([], []), ((), (0, 2), (0,))[self.metric]
        near, far, up = self.near, self.far, self.width
        for part in (0, 1):
            d = numbers[part]
            for i, value in enumerate(w[part]):
                def code(k):
                    if k > i: return 63
                    number = d[i - k]
                    if number == NONE: return 62
                    if number is None or w[part][i - k] != value: return 61
                    return number if number < 16 else 16 + (number - 16) // 2 if number < 96 else 56 + min((number - 96) // 32, 4)
                def like(*places):
                    codes = [code(k) for k in places]
                    return next((c for c in codes if c < 61), codes[0])
                if value not in stored:
                    d.append(None)
                    continue
                care = [max(code(k) - 61, 0) for k in (near, 1, far)]
                d.append(symbols.read(self.trees[2], [2 * (part ^ self.first) + (value == 2), 9 * care[0] + 3 * care[1] + care[2],
                    like(near, 2 * near, up * near), like(far, far + 1, far + near), like(1, 2, up)]))
        symbols.finish()
        return numbers

def parse(table, fen):
    board, turn = (fen.split() + [""])[:2]
    ranks, pieces = board.split("/"), []
    check(len(ranks) == table.height and turn in ("w", "b"), f'"{fen}" is not a position on this board')
    for y, text in enumerate(reversed(ranks)):
        x = 0
        for part in re.findall(r"\d+|.", text):
            if not part.isdigit():
                pieces.append((int(part.islower()), part.upper(), y * table.width + x))
            x += int(part) if part.isdigit() else 1
        check(x == table.width, f'"{text}" is not a rank of {table.width} squares')
    return pieces, int(turn == "b")

def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rules", type=lambda t: int(t, 16))
    parser.add_argument("file")
    parser.add_argument("fen")
    args = parser.parse_args()
    try:
        table = Table(args.file)
        check(args.rules in (None, table.rules), f"the table was made for other rules ({table.rules:016x})")
        for fen in sys.stdin if args.fen == "-" else [args.fen]:
            value, distance = table.probe(*parse(table, fen.strip()))
            low, high = distance or (None, None)
            print(value if low is None else f"{value} {low}" if low == high else f"{value} {low} or {high}")
    except (Damaged, OSError) as error:
        sys.exit(f"probe.py: {args.file}: {error}")

main()
