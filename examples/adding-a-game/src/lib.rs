//! Connect-k: stones fall to the bottom of a file of an upright board, and `line` of them in a row win.
#![forbid(unsafe_code)]

use jewel_engine::prelude::*;

/// A position. Each side's stones are bits, file by file from the bottom, with an empty square above each file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Connect {
    files: u32,
    ranks: u32,
    line: u32,
    stones: [u64; 2],
}

impl Connect {
    fn bit(&self, file: u32, rank: u32) -> u64 {
        1 << (file * (self.ranks + 1) + rank)
    }

    /// Adding 1 at the bottom of a file carries up to its lowest empty square.
    fn drop(&mut self, side: Side, file: u32) {
        let occupied = self.stones[0] | self.stones[1];
        self.stones[side.index()] |= (occupied + self.bit(file, 0)) & !occupied;
    }

    /// The rows of `length` stones of a side: upright, level, and on both diagonals.
    pub fn rows(&self, side: Side, length: u32) -> i32 {
        let (stones, up) = (self.stones[side.index()], self.ranks + 1);
        let rows = |step| (0..length).fold(!0, |rows, n| rows & stones.unbounded_shr(n * step));
        [1, up - 1, up, up + 1].into_iter().map(|step| rows(step).count_ones() as i32).sum()
    }
}

impl Position for Connect {
    type Move = u8;

    fn side_to_move(&self) -> Side {
        let [white, black] = self.stones.map(u64::count_ones);
        if white == black { Side::White } else { Side::Black }
    }

    fn outcome(&self) -> Option<Outcome> {
        let full = (self.stones[0] | self.stones[1]).count_ones() == self.files * self.ranks;
        let lost = self.rows(!self.side_to_move(), self.line) > 0;
        if lost { Some(Outcome::Loss) } else { full.then_some(Outcome::Draw) }
    }

    fn moves<B>(&self, mut visit: impl FnMut(u8) -> ControlFlow<B>) -> ControlFlow<B> {
        let top = |file| self.bit(file, self.ranks - 1) & (self.stones[0] | self.stones[1]);
        let files = if self.outcome().is_some() { 0 } else { self.files };
        (0..files).filter(|&file| top(file) == 0).try_for_each(|file| visit(file as u8))
    }

    fn play(&mut self, file: u8) {
        self.drop(self.side_to_move(), file.into());
    }
}

impl Notation for Connect {
    fn position_text(&self) -> String {
        let has = |side: usize, square| usize::from(self.stones[side] & square != 0);
        let letter = |square| ['.', 'X', 'o'][has(0, square) + 2 * has(1, square)];
        let rank = |rank| (0..self.files).map(|file| letter(self.bit(file, rank))).collect::<String>();
        (0..self.ranks).rev().map(rank).collect::<Vec<_>>().join("/")
    }

    fn move_text(&self, file: u8) -> String {
        char::from(b'a' + file).to_string()
    }
}

impl Packed for Connect {
    fn pack<K: PackedKey>(&self) -> K {
        K::ZERO.push(self.stones[0], 32).push(self.stones[1], 32)
    }

    fn unpack<K: PackedKey>(&self, key: K) -> Connect {
        let (key, black) = key.pop(32);
        Connect { stones: [key.pop(32).1, black], ..*self }
    }
}

impl Chance for Connect {}
impl Playout for Connect {}
impl Symmetric for Connect {}
impl Tactics for Connect {}

/// The game on one board: its id and its start.
#[derive(Clone)]
pub struct ConnectGame(String, Connect);

impl ConnectGame {
    /// `None` unless the numbers are positive and `files * (ranks + 1)` is at most 32.
    pub fn new(files: u32, ranks: u32, line: u32) -> Option<ConnectGame> {
        let fits = [files, ranks, line].iter().all(|n| (1..32).contains(n)) && files * (ranks + 1) <= 32;
        let id = format!("connect:files={files},ranks={ranks},line={line}");
        fits.then_some(ConnectGame(id, Connect { files, ranks, line, stones: [0; 2] }))
    }
}

impl Game for ConnectGame {
    type Position = Connect;

    fn id(&self) -> &str {
        &self.0
    }

    fn start(&self) -> Connect {
        self.1
    }

    fn parse_position(&self, text: &str) -> Result<Connect, ReadError> {
        let mut read = self.1;
        for letters in text.split('/').rev().take(read.ranks as usize) {
            for (file, letter) in (0..read.files).zip(letters.chars()).filter(|(_, letter)| *letter != '.') {
                read.drop(if letter == 'X' { Side::White } else { Side::Black }, file);
            }
        }
        let [white, black] = read.stones.map(u64::count_ones);
        let right = read.position_text() == text && (white == black || white == black + 1);
        right.then_some(read).ok_or_else(|| format!("write it like {}", self.1.position_text()).into())
    }
}
