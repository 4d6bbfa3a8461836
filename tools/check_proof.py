#!/usr/bin/env python3
"""Checks a proof file of jewel (docs/proof-format.md) by rules and moves of its own, read from the file's header.

    check_proof.py FILE

Exit code 0: the file proves its claim; 1: it does not, and why; 2: it has rules that this program does not know.
Needs Python 3.11 and nothing else. Known are leapers, lame leapers, sliders and pawns, promotion, royal pieces, key squares
and all ways to end a game; not known are castling, en passant, hands, tables, and games that are no variant file."""
import collections, itertools, re, struct, sys, tomllib, zlib

class Wrong(Exception): pass     # the file is damaged or does not prove its claim
class Unknown(Exception): pass   # the rules are beyond this program
def need(condition, what, error=Wrong):
    if not condition: raise error(what)
def turned(result, turn):
    return {"win": "loss", "loss": "win"}.get(result, result) if turn else result

class Bits:
    """The arithmetic decoder of a block, with its contexts."""
    def __init__(self, data):
        self.data, self.at, self.lo, self.hi, self.contexts = data + bytes(4), 4, 0, 0xFFFFFFFF, {}
        self.x = int.from_bytes(self.data[:4], "big")
    def bit(self, context):
        p, c = self.contexts.get(context, (32768, 0))
        mid, s = self.lo + ((self.hi - self.lo) * p >> 16), min(c + 1, 6)
        bit = int(self.x <= mid)
        if bit: self.hi, p = mid, p + ((65536 - p) >> s)
        else: self.lo, p = mid + 1, p - (p >> s)
        self.contexts[context] = p, c + 1
        while (self.lo ^ self.hi) >> 24 == 0:
            need(self.at < len(self.data), "a block is too short")
            self.lo, self.hi = self.lo << 8 & 0xFFFFFFFF, (self.hi << 8 & 0xFFFFFFFF) | 255
            self.x, self.at = (self.x << 8 & 0xFFFFFFFF) | self.data[self.at], self.at + 1
        return bit
    def tree(self, context, count):
        node = 1
        for _ in range(count): node = node * 2 + self.bit((*context, node))
        return node - (1 << count)
    def number(self, kind, changed, before):
        if self.bit(("again", kind, min(changed, 7))): return before
        digits = self.tree(("length", kind), 5)
        value = int(digits > 0)
        for _ in range(digits - 1): value = value * 2 + self.bit(("digit", kind, digits, value if value < 256 else 0))
        return value

class Proof:
    def __init__(self, d):
        need(len(d) >= 60 and d[:8] == b"JEWELPRF", "this is not a proof file")
        version, self.kind, self.prover, self.encoding, self.n, self.b, zero = struct.unpack_from("<H6B", d, 8)
        need(version == 1, f"version {version} of proof files is not known")
        _, self.positions, self.block, self.limit, r, p, t, zero2 = struct.unpack_from("<QQ6I", d, 16)
        self.data, self.start = d, 60 + r + p + t
        need(self.start <= len(d) and zlib.crc32(d[:self.start - 4]) == struct.unpack_from("<I", d, self.start - 4)[0], "the header is damaged")
        need(not zero and not zero2 and self.kind < 2 and self.prover < 2 and self.block and self.n, "the header is wrong")
        self.rules, self.root, self.tables = (d[a:b].decode() for a, b in itertools.pairwise((56, 56 + r, 56 + r + p, self.start - 4)))
    def entries(self):
        """Symbols, number of the move and rank of each position; checks everything that protects them."""
        d, at, sums, last = self.data, self.start, self.data[self.start - 4:self.start], b""
        for number in range(-(-self.positions // self.block)):
            need(at + 8 <= len(d), "the file is cut short")
            length, crc = struct.unpack_from("<II", d, at)
            data = d[at + 8:at + 8 + length]
            need(len(data) == length and zlib.crc32(struct.pack("<QI", number, length) + data) == crc, f"block {number} is damaged")
            sums, at = sums + d[at + 4:at + 8], at + 8 + length
            bits, before, move, rank = Bits(data), bytes(self.n), 0, 0
            for _ in range(min(self.block, self.positions - number * self.block)):
                now, changed, balance = bytearray(before), 0, 0
                for i, a in enumerate(before):
                    q = 2 + (balance > 0) - (balance < 0) if changed else 0
                    if not bits.bit((i, q, a)):
                        now[i] = v = bits.tree(("symbol", i, a), self.b)
                        changed, balance = changed + (v != a), balance + (v != 0) - (a != 0)
                before, move = bytes(now), bits.number(0, changed, move)
                rank = bits.number(1, changed, rank) if self.kind else 0
                need(before > last, f"positions of block {number} do not ascend")
                yield before, move, rank
                last = before
            need(bits.at == length + 3, f"block {number} does not end as it should")
        need(d[at:] == struct.pack("<I", zlib.crc32(sums)) + b"JEND", "the file does not end as it should")

ATOMS = {"W": (1, 0), "F": (1, 1), "D": (2, 0), "N": (2, 1), "A": (2, 2), "H": (3, 0), "C": (3, 1), "Z": (3, 2), "G": (3, 3)}
def admits(dx, dy, letters):
    """Whether letters of direction admit a step."""
    oblique, wide, admitted = 0 != abs(dx) != abs(dy) != 0, abs(dx) > abs(dy), not letters
    one = {"f": dy > 0, "b": dy < 0, "l": dx < 0, "r": dx > 0}
    one |= {"s": wide, "v": not wide} if oblique else {"s": dx != 0, "v": dy != 0}
    pairs = {a + b: one[a] and one[b] for c in ("fl", "fr", "bl", "br") for a, b in (c, c[::-1]) if dx and dy}
    if oblique: pairs |= {c[:2]: one[c[0]] and wide == (c[2] == "w") for c in "ffn bbn llw rrw fsw bsw lvn rvn".split()}
    while letters:
        used = 2 if letters[:2] in pairs else 1
        admitted |= pairs[letters[:2]] if used == 2 else one[letters[0]]
        letters = letters[used:]
    return admitted
def legs(x, y):
    """The squares that a lame leap passes: along the longer axis first, then diagonally."""
    a, b, found, sign = 0, 0, [], lambda n: (n > 0) - (n < 0)
    while True:
        dx, dy = x - a, y - b
        a, b = a + sign(dx) * (abs(dx) >= abs(dy)), b + sign(dy) * (abs(dy) >= abs(dx))
        if (a, b) == (x, y): return found
        found.append((a, b))
def betza(word):
    """The motions of a word: (dx, dy, quiet, capture, initial, lame, most steps)."""
    need(re.fullmatch(r"([mcfblrsvni]*[WFDNAHCZGKRBQ](\d+|[A-Z])?)+", word), f"the movement \"{word}\"", Unknown)
    found = set()
    for mods, atom, tail in re.findall(r"([a-z]*)([A-Z])(\d+|\2)?", word):
        most = (63 if tail in (atom, "0") else int(tail)) if tail else 63 if atom in "RBQ" else 1
        quiet, capture = "m" in mods or "c" not in mods, "c" in mods or "m" not in mods
        for x, y in (ATOMS[base] for base in {"K": "WF", "R": "W", "B": "F", "Q": "WF"}.get(atom, atom)):
            for dx, dy in {(a * p, b * q) for a, b in ((x, y), (y, x)) for p in (1, -1) for q in (1, -1)}:
                if admits(dx, dy, re.sub("[mcni]", "", mods)): found.add((dx, dy, quiet, capture, "i" in mods, "n" in mods, most))
    return sorted(found)
KNOWN = {"": "id name summary sides must-capture chess960 board piece key end draw", "board": "size start blocking",
    "piece": "letter moves name abbreviation promoted-name promoted-abbreviation royal value initial territory promotion resets-clock en-passant",
    "key": "squares goals objective eligible", "end": "checkmate stalemate bare extinction",
    "draw": "repetition n-move insufficient insufficient-same-colour"}

class Game:
    """The rules of a variant file, and its moves. A position is a list of cells, the side to move, and the clock."""
    def __init__(self, text):
        rules = tomllib.loads(text)
        for name, known in KNOWN.items():
            for table in [rules] if not name else rules["piece"] if name == "piece" else [rules.get(name, {})]:
                for key in set(table) - set(known.split()): raise Unknown(f"the rule {name + '.' if name else ''}{key}")
        self.w, self.h = map(int, rules["board"]["size"].split("x"))
        self.area, pieces = self.w * self.h, rules["piece"]
        self.blocking, self.letters = self.set(rules["board"].get("blocking", [])), [p["letter"] for p in pieces]
        homes, kinds = self.read(rules["board"]["start"])[0], self.kinds
        end, draw, key = rules.get("end", {}), rules.get("draw", {}), rules.get("key")
        sides = lambda table: [self.set(table[s]) for s in "wb"]
        self.motions, self.territory, self.promotion, self.resets, self.initial = [], [], [], [], []
        for k, p in enumerate(pieces):
            need(not p.get("en-passant"), "en passant", Unknown)
            motions = betza(p["moves"])
            self.motions.append([motions, [(m[0], -m[1], *m[2:]) for m in motions]])
            self.resets.append(p.get("resets-clock", all(m[1] > 0 for m in motions)))
            self.territory.append(sides(p["territory"]) if "territory" in p else [range(self.area)] * 2)
            self.initial.append(sides(p["initial"]) if "initial" in p else [{at for at, c in enumerate(homes) if c == 1 + 2 * k + s} for s in (0, 1)])
            self.promotion.append((sides(t["zone"]), kinds(t["to"]), t.get("optional", False)) if (t := p.get("promotion")) else ([(), ()], [], True))
        self.royal, self.must = next((k for k, p in enumerate(pieces) if p.get("royal")), None), rules.get("must-capture", False)
        self.key = key and ([self.set(key["squares"])] * 2 if "squares" in key else sides(key["goals"]),
            key["objective"].replace("capture", "secure"), kinds(key.get("eligible", "*")))
        self.checkmate, self.stalemate, self.bare = end.get("checkmate", "loss"), end.get("stalemate", "draw"), \
            end.get("bare", "none" if self.royal is not None else "key" if key else "loss")
        self.extinction = (kinds(end["extinction"]["pieces"]), end["extinction"]["result"]) if "extinction" in end else None
        self.limit, pairs = 2 * draw.get("n-move", 0), [text.split("v") for text in draw.get("insufficient", [])]
        self.insufficient = [sorted(1 + 2 * self.letters.index(l) + s for s in (0, 1) for l in two[s]) for pair in pairs for two in (pair, pair[::-1])]
        self.same = kinds(draw["insufficient-same-colour"]) if "insufficient-same-colour" in draw else None
        self.n, self.b = self.area + 2 * bool(self.limit), 8 if self.limit else (2 * len(pieces)).bit_length()
        self.hopeful = {(at, k, s) for k in range(len(pieces)) for s in (0, 1) for at in range(self.area)
            if key and self.wanders(s, [(at, k)], [0] * self.area, True)}
    def kinds(self, letters): return [k for k, l in enumerate(self.letters) if letters == "*" or l in letters]
    def set(self, parts):
        """Squares from "c3", "a1-b2", "rank 2" and "file b"."""
        found, place = set(), lambda text: (ord(text[0]) - 97, int(text[1:]) - 1)
        for kind, _, which in (part.partition(" ") for part in parts):
            ends = [place(p) for p in kind.split("-")] if not which else [(0, int(which) - 1), (self.w - 1, int(which) - 1)] \
                if kind == "rank" else [(ord(which) - 97, 0), (ord(which) - 97, self.h - 1)]
            (ax, bx), (ay, by) = (sorted(e[i] for e in (ends[0], ends[-1])) for i in (0, 1))
            found |= {y * self.w + x for y in range(ay, by + 1) for x in range(ax, bx + 1)}
        return found
    def read(self, fen):
        fields, cells = fen.split() + ["?"] * 4, []
        need(fields[2] == fields[3] == "-", "castling and en passant", Unknown)
        for run, letter in re.findall(r"(\d+)|([A-Za-z])", "/".join(reversed(fields[0].split("/")))):
            cells += [0] * int(run) if run else [1 + 2 * self.letters.index(letter.upper()) + letter.islower()]
        need(len(cells) == self.area, f"the position \"{fen}\"")
        return cells, int(fields[1] == "b"), int(fields[4].replace("?", "0"))
    def show(self, state):
        cell = lambda c: "." if not c else self.letters[(c - 1) // 2] if c % 2 else self.letters[(c - 1) // 2].lower()
        return "/".join("".join(map(cell, state[0][y * self.w:][:self.w])) for y in reversed(range(self.h))) + " " + "wb"[state[1]]
    def encode(self, state): return bytes(state[0]) + (min(state[2], self.limit).to_bytes(2, "big") if self.limit else b"")
    def decode(self, symbols, side):
        cells, clock = list(symbols[:self.area]), int.from_bytes(symbols[self.area:], "big")
        need(max(cells) <= 2 * len(self.letters) and clock <= self.limit, "a position has a piece or a counter that there is not")
        need(self.royal is None or all(cells.count(1 + 2 * self.royal + s) == 1 for s in (0, 1)), "a position has not one royal piece a side")
        return cells, side, clock
    def walk(self, cells, at, every=False):
        """Targets of the piece on a square, and whether it captures there; `every`: on empty squares and its own pieces too."""
        kind, side = divmod(cells[at] - 1, 2)
        x, y = at % self.w, at // self.w
        for dx, dy, quiet, capture, initial, lame, most in self.motions[kind][side]:
            if initial and at not in self.initial[kind][side]: continue
            if not (0 <= x + dx < self.w and 0 <= y + dy < self.h): continue
            if lame and any(cells[(y + b) * self.w + x + a] for a, b in legs(dx, dy)): continue
            tx, ty = x, y
            for _ in range(most):
                tx, ty = tx + dx, ty + dy
                to = ty * self.w + tx
                if not (0 <= tx < self.w and 0 <= ty < self.h) or to not in self.territory[kind][side]: break
                there = cells[to]
                if not there and (quiet or every and capture) or there and capture and (every or (there - 1) % 2 != side): yield to, capture
                if there or most > 1 and to in self.blocking: break
    def attacked(self, cells, target, by): return any(c and (c - 1) % 2 == by and (target, True) in self.walk(cells, at, True) for at, c in enumerate(cells))
    def in_check(self, cells, side): return self.royal is not None and self.attacked(cells, cells.index(1 + 2 * self.royal + side), 1 - side)
    def becomes(self, kind, side, to):
        zone, choices, optional = self.promotion[kind]
        return choices + [kind] * optional if to in zone[side] else [kind]
    def wanders(self, side, open, others, every):
        """Whether one of these pieces, alone among others, can come to count on the key."""
        seen = set()
        while open:
            at, kind = state = open.pop()
            if at in self.key[0][side] and kind in self.key[2]: return True
            if state in seen: continue
            seen.add(state)
            cells = [1 + 2 * kind + side if s == at else c for s, c in enumerate(others)]
            open += [(to, k) for to, _ in self.walk(cells, at, every) for k in self.becomes(kind, side, to)]
        return False
    def alone(self, cells, side):
        """Whether a side can come to its key if it has the board to itself; pieces that can never move stay in the way."""
        stuck, pieces = list(cells), [at for at, c in enumerate(cells) if c]
        while free := [at for at in pieces if stuck[at] and any(True for _ in self.walk(stuck, at))]:
            stuck = [0 if at in free else c for at, c in enumerate(stuck)]
        return self.wanders(side, [(at, (cells[at] - 1) // 2) for at in pieces], stuck, False)
    def on_key(self, cells, side): return [at for at in self.key[0][side] if cells[at] and (cells[at] - 1) % 2 == side and (cells[at] - 1) // 2 in self.key[2]]
    def decided(self, cells, us):
        objective = self.key and self.key[1]
        if objective == "reach" and self.on_key(cells, 1 - us): return "loss"
        if objective in ("hold", "secure") and any(objective == "hold" or not self.attacked(cells, at, 1 - us) for at in self.on_key(cells, us)): return "win"
        has = [any(c and (c - 1) % 2 == s for c in cells) for s in (0, 1)]
        if self.bare != "none" and not all(has):
            survivor = us if has[us] else 1 - us
            return "draw" if self.bare == "draw" or self.bare == "key" and not self.alone(cells, survivor) else turned("win", survivor != us)
        for side in (us, 1 - us) if self.extinction else ():
            if not any(1 + 2 * k + side in cells for k in self.extinction[0]): return turned(self.extinction[1], side != us)
    def dead(self, cells, clock):
        there = sorted(c for c in cells if c)
        if self.limit and clock >= self.limit or there in self.insufficient: return True
        colours = {(at // self.w + at % self.w) % 2 for at, c in enumerate(cells) if c and self.same and (c - 1) // 2 in self.same}
        return self.same is not None and len(colours) < 2 and all((c - 1) // 2 in self.same + [self.royal] for c in there)
    def expand(self, state):
        """The result for the side to move, and what its moves lead to, sorted by their texts."""
        cells, us, clock = state
        if decided := self.decided(cells, us): return decided, []
        found, name = {}, lambda at: chr(97 + at % self.w) + str(at // self.w + 1)
        for at, kind in ((at, (c - 1) // 2) for at, c in enumerate(cells) if c and (c - 1) % 2 == us):
            for to, k in ((to, k) for to, _ in self.walk(cells, at) for k in self.becomes(kind, us, to)):
                after = list(cells)
                after[at], after[to] = 0, 1 + 2 * k + us
                if not self.in_check(after, us):
                    text = name(at) + name(to) + (self.letters[k].lower() if k != kind else "")
                    found[text] = (after, 1 - us, 0 if cells[to] or self.resets[kind] else clock + 1), cells[to] != 0
        if self.must and any(takes for _, takes in found.values()): found = {text: move for text, move in found.items() if move[1]}
        next = [found[text][0] for text in sorted(found)]
        if self.key and self.royal is None and self.bare != "loss" and not self.extinction:
            if not any(c and (at, *divmod(c - 1, 2)) in self.hopeful for at, c in enumerate(cells)): return "draw", next
        if next: return "draw" if self.dead(cells, clock) else None, next
        if self.in_check(cells, us): return self.checkmate, next
        return "loss" if self.key and self.on_key(cells, 1 - us) else self.stalemate, next

class Checker:
    MOST, ANY = 1 << 21, 1 << 30  # positions noted before they are looked up; a rank above all
    def __init__(self, proof, game):
        self.proof, self.game, self.noted = proof, game, {}
        need((proof.n, proof.b) == (game.n, game.b), "positions have another size than the rules give")
        self.follow(game.read(proof.root), 0, proof.limit or self.ANY)
        for symbols, move, rank in proof.entries():
            state = game.decode(symbols, proof.prover)
            result, next = game.expand(state)
            need(result is None and move < len(next), f"{game.show(state)} is over or has no move of the number {move}")
            self.follow(next[move], 1, rank if proof.kind else self.ANY)
            if len(self.noted) > self.MOST: self.settle()
        self.settle()
    def follow(self, state, plies, rank):
        result, next = (None, []) if state[1] == self.proof.prover else self.game.expand(state)
        need(rank >= plies or next and not result, f"a rank before {self.game.show(state)} is too low")
        if result: self.judge(state, result)
        elif state[1] == self.proof.prover:
            key = self.game.encode(state)
            self.noted[key] = min(self.noted.get(key, self.ANY), rank - plies)
        for child in next if not result else (): self.follow(child, plies + 1, rank)
    def judge(self, state, result):
        result = turned(result, state[1] != self.proof.prover)
        need(result == "win" or result == "draw" and not self.proof.kind, f"a {result} for the prover: {self.game.show(state)}")
    def settle(self):
        """Looks up what was noted in one pass over the file; all else must be over."""
        noted, self.noted = self.noted, {}
        for symbols, _, rank in self.proof.entries():
            need(rank <= noted.pop(symbols, self.ANY), "a rank is too high")
        for symbols in noted:
            state = self.game.decode(symbols, self.proof.prover)
            result, _ = self.game.expand(state)
            need(result, f"play leads to {self.game.show(state)}, and it has no move")
            self.judge(state, result)

def check(data):
    proof = Proof(data)
    need(not proof.encoding and not proof.tables, "packed positions and tables at the ends", Unknown)
    Checker(proof, Game(proof.rules))
    return proof
def main():
    if len(sys.argv) != 2: print(__doc__); return 2
    try: proof = check(open(sys.argv[1], "rb").read())
    except (Wrong, OSError, ValueError, LookupError) as error: print(f"not proven: {error}"); return 1
    except Unknown as error: print(f"not known here: {error}; use jewel prove --check"); return 2
    claim = "wins" + f" in {proof.limit} plies" * bool(proof.limit) if proof.kind else "does not lose"
    print(f"proven: {['White', 'Black'][proof.prover]} {claim} from {proof.root}; {proof.positions} positions")
    return 0
if __name__ == "__main__": sys.exit(main())
