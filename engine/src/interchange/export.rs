//! From a variant file to a section.

use super::board::{self, Start};
use super::dialect::{self, Reader};
use super::export_hand::is_of_pieces;
use super::keys::{self, Meaning, per_side};
use super::pieces;
use crate::betza::{Motion, Range};
use crate::bitboard::Bitboard;
use crate::value::{Outcome, Side};
use crate::variant::{Bare, Castle, Mark, Objective, PieceSpec, Rules, RulesSpec, VariantError};
use std::collections::BTreeSet;
use std::fmt;

/// Something in a variant file that a `variants.ini` cannot say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loss {
    /// The key of the variant file.
    pub key: String,
    /// What becomes of it.
    pub why: String,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.key, self.why)
    }
}

/// A variant file as a section.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Export {
    /// The name of the section.
    pub name: String,
    /// The section.
    pub text: String,
    /// The rules that it does not express. Names, values and the like do not count.
    pub losses: Vec<Loss>,
}

/// Writes a variant file as a section of a `variants.ini`.
///
/// ```
/// use jewel_engine::{games, interchange::export};
/// let section = export(games::find("diamond-quest").unwrap().text)?;
/// assert!(section.text.contains("[diamond-quest]\nmaxRank = 7\nmaxFile = 7\n"));
/// assert_eq!(section.losses[0].key, "draw.insufficient");
/// # Ok::<(), jewel_engine::variant::VariantError>(())
/// ```
///
/// # Errors
/// If the text is not a variant file.
pub fn export(text: &str) -> Result<Export, VariantError> {
    let rules = Rules::parse(text)?;
    let mut writer = Writer {
        spec: &rules,
        slots: Vec::new(),
        letters: Vec::new(),
        lines: Vec::new(),
        losses: Vec::new(),
    };
    writer.write();
    let name = section_name(&rules.id);
    let mut text = String::new();
    for comment in [&rules.name, &rules.summary].into_iter().filter(|comment| !comment.is_empty()) {
        text.push_str(&format!("# {}\n", comment.replace(crate::text::is_disruptive, " ")));
    }
    for loss in &writer.losses {
        text.push_str(&format!("# Not expressed: {loss}.\n"));
    }
    if name != rules.id {
        text.push_str(&format!("# Not called {}: the program has that variant built in.\n", rules.id));
    }
    text.push_str(&format!("[{name}]\n"));
    for (key, value) in &writer.lines {
        text.push_str(&format!("{key} = {value}\n"));
    }
    Ok(Export { name, text, losses: writer.losses })
}

/// The variants that Fairy-Stockfish has built in: a section with one of these names would not be read.
#[rustfmt::skip]
const BUILT_IN: [&str; 121] = [
    "3check", "5check", "ai-wok", "almost", "amazon", "amazons", "antichess", "armageddon", "asean", "ataxx", "atomar",
    "atomic", "berolina", "breakthrough", "bughouse", "cambodian", "capablanca", "capahouse", "caparandom", "centaur",
    "chancellor", "chaturanga", "checkshogi", "chess", "chessgi", "chigorin", "clobber", "clobber10", "codrus",
    "coregal", "courier", "crazyhouse", "dobutsu", "dragon", "duck", "embassy", "euroshogi", "extinction", "fairy",
    "fischerandom", "flipello", "flipello10", "flipersi", "fox-and-hounds", "gardner", "georgian", "giveaway",
    "gorogoro", "gothic", "grand", "grasshopper", "gustav3", "hoppelpoppel", "horde", "isolation", "isolation7x7",
    "janggi", "janggicasual", "janggimodern", "janggitraditional", "janus", "jesonmor", "joust", "judkins", "karouk",
    "kinglet", "kingofthehill", "knightmate", "koedem", "kyotoshogi", "legan", "loop", "losalamos", "losers",
    "makpong", "makruk", "manchu", "micro", "mini", "minishogi", "minixiangqi", "misere", "modern", "newzealand",
    "nightrider", "nocastle", "nocheckatomic", "normal", "okisakishogi", "omicron", "opulent", "paradigm", "pawnback",
    "pawnsideways", "perfect", "petrified", "placement", "pocketknight", "raazuvaa", "racingkings", "seirawan",
    "shako", "shatar", "shatranj", "shogi", "shoshogi", "shouse", "sittuyin", "snailtrail", "sortofalmost", "spartan",
    "suicide", "supply", "tencubed", "threekings", "torishogi", "torpedo", "troitzky", "wolf", "xiangqi", "yarishogi",
];

/// The name of the section of a variant: its id, unless that is taken.
fn section_name(id: &str) -> String {
    if BUILT_IN.contains(&id) { format!("{id}-jewel") } else { id.to_string() }
}

type Says = fn(&RulesSpec) -> bool;

/// Rules that the format does not have: their keys, whether a variant has them, and what happens there instead.
/// Flags that it does have are rows of [`keys::KEYS`].
const NOT_THERE: [(&str, Says, &str); 2] = [
    ("draw.insufficient", |spec| !spec.insufficient.is_empty(), "the game goes on with any material there"),
    (
        "draw.insufficient-same-colour",
        |spec| spec.same_colour != 0,
        "the game goes on with any material there",
    ),
];

pub(super) struct Writer<'d> {
    pub(super) spec: &'d RulesSpec,
    /// What each type is called there.
    pub(super) slots: Vec<String>,
    /// The letter of that.
    letters: Vec<char>,
    pub(super) lines: Vec<(String, String)>,
    losses: Vec<Loss>,
}

impl Writer<'_> {
    fn write(&mut self) {
        let geometry = self.spec.geometry;
        self.say("maxRank", geometry.height().to_string());
        self.say("maxFile", geometry.width().to_string());
        let large = geometry.height() > 10 || geometry.width() > 12;
        self.lose_if(large, "board.size", "at most 12 files and 10 ranks are possible there");
        let stops = self.spec.blocking.any() && self.spec.pieces.iter().any(|p| p.motions.iter().any(slides));
        self.lose_if(stops, "board.blocking", "no square stops sliders there");
        self.pieces();
        self.start_and_castling();
        self.double_steps();
        self.territories();
        self.promotions();
        self.piece_promotions();
        self.hand();
        self.en_passant();
        for key in keys::KEYS {
            if let Meaning::Flag { get, .. } = key.meaning
                && get(self.spec)
            {
                self.say(key.name, "true");
            }
        }
        self.ends();
        self.key();
        self.draws();
        for (key, says, why) in NOT_THERE {
            self.lose_if(says(self.spec), key, why);
        }
    }

    pub(super) fn say(&mut self, key: impl Into<String>, value: impl Into<String>) {
        self.lines.push((key.into(), value.into()));
    }

    fn lose(&mut self, key: &str, why: impl Into<String>) {
        let loss = Loss { key: key.into(), why: why.into() };
        if !self.losses.contains(&loss) {
            self.losses.push(loss);
        }
    }

    pub(super) fn lose_if(&mut self, lost: bool, key: &str, why: &str) {
        if lost {
            self.lose(key, why);
        }
    }

    /// The letter of a type there: a promoted form has that of the type that moves so.
    pub(super) fn letter(&self, kind: usize) -> char {
        self.letters[kind]
    }

    /// The letters of some types; `-` for none.
    fn letters(&self, kinds: impl IntoIterator<Item = usize>) -> String {
        let letters: String = kinds.into_iter().map(|kind| self.letter(kind)).collect();
        if letters.is_empty() { "-".into() } else { letters }
    }

    /// The types with a property.
    pub(super) fn kinds(&self, has: impl Fn(&PieceSpec) -> bool) -> Vec<usize> {
        (0..self.spec.pieces.len()).filter(|&kind| has(&self.spec.pieces[kind])).collect()
    }

    fn squares(&self, set: Bitboard) -> String {
        if set.is_empty() { "-".into() } else { self.spec.geometry.names(set).replace(',', " ") }
    }

    /// A set of squares for each side.
    pub(super) fn regions(&mut self, key: &str, sets: [Bitboard; 2]) {
        for side in Side::BOTH {
            self.say(per_side(key, side), self.squares(sets[side.index()]));
        }
    }

    /// Predefined pieces where there are some, the others as custom pieces.
    fn pieces(&mut self) {
        let any_initial = self.spec.pieces.iter().any(|piece| piece.motions.iter().any(|m| m.initial));
        let mut custom = 0;
        let spec = self.spec;
        self.slots = vec![String::new(); spec.pieces.len()];
        self.letters = spec.pieces.iter().map(|piece| piece.letter.to_ascii_lowercase()).collect();
        // Marked pieces come last: most of them move as others do.
        let mut order: Vec<usize> = (0..spec.pieces.len()).collect();
        order.sort_by_key(|&kind| spec.pieces[kind].mark);
        for kind in order {
            let piece = &spec.pieces[kind];
            if piece.mark != Mark::None {
                let same = |other: &usize| {
                    let like = &spec.pieces[*other];
                    let letter = piece.mark == Mark::Plus || like.letter == piece.letter;
                    let moves = (&like.motions, like.rotated) == (&piece.motions, piece.rotated);
                    like.mark == Mark::None && letter && moves && spec.royal != Some(*other as u8)
                };
                if let Some(twin) = (0..spec.pieces.len()).find(same) {
                    self.slots[kind] = self.slots[twin].clone();
                    self.letters[kind] = self.letters[twin];
                    continue;
                }
                self.lose_if(
                    piece.mark == Mark::Tilde,
                    "piece.letter",
                    "a piece that turns back moves as others of its letter there",
                );
                let free = ('a'..='z').find(|letter| !self.letters.contains(letter));
                let taken = self.letters[kind];
                self.letters[kind] = free.unwrap_or(taken);
            }
            let letter = self.letter(kind);
            let never =
                piece.motions.iter().all(|m| m.initial) && piece.initial.iter().all(|set| set.is_empty());
            let motions = if never { &[][..] } else { &piece.motions[..] };
            let lopsided = pieces::mirrored(motions) != motions && !piece.rotated;
            self.lose_if(
                lopsided,
                "piece.moves",
                "left and right of Black's pieces are as Black sees them there",
            );
            if self.spec.royal == Some(kind as u8) {
                let word = self.word(motions, piece);
                let king = if word == "K" { letter.to_string() } else { format!("{letter}:{word}") };
                self.say("king", king);
                self.slots[kind] = "king".into();
                continue;
            }
            let same = |(name, word): &(&str, &str)| {
                let double = if *name == "pawn" && any_initial { "ifmnD" } else { "" };
                dialect::parse(&format!("{word}{double}")).is_ok_and(|read| read == motions)
            };
            let free =
                |(name, _): &(&str, &str)| *name != "king" && !self.slots.iter().any(|slot| slot == name);
            let known = keys::predefined_pieces().filter(free).find(same);
            let (slot, value) = match known {
                Some((name, _)) => (name.to_string(), letter.to_string()),
                None => {
                    custom += 1;
                    (format!("customPiece{custom}"), format!("{letter}:{}", self.word(motions, piece)))
                }
            };
            self.say(slot.clone(), value);
            self.slots[kind] = slot;
        }
        self.lose_if(custom > 25, "piece", "there are at most 25 custom pieces there");
    }

    fn word(&mut self, motions: &[Motion], piece: &PieceSpec) -> String {
        let own = &piece.moves;
        if dialect::parse(own).is_ok_and(|read| read == motions) {
            return own.clone();
        }
        dialect::write(motions, Reader::Theirs).unwrap_or_else(|| {
            self.lose("piece.moves", format!("no word there means \"{own}\" ({})", piece.letter));
            own.clone()
        })
    }

    /// The start position with the letters of rights that are usual there, and where castling leads.
    fn start_and_castling(&mut self) {
        let mut fields: Vec<String> = self.spec.start.split_ascii_whitespace().map(String::from).collect();
        let right = |castle: &Castle| {
            let letter = if castle.rook[0] > castle.king[0] { 'k' } else { 'q' };
            if castle.side == Side::White { letter.to_ascii_uppercase() } else { letter }
        };
        if let Some(rights) = fields.get_mut(2) {
            let renamed =
                |c: char| self.spec.castles.iter().find(|castle| castle.right == c).map_or(c, right);
            *rights = rights.chars().map(renamed).collect();
        }
        let start = fields.join(" ");
        self.say("startFen", start.clone());
        self.say("castling", (!self.spec.castles.is_empty()).to_string());
        if self.spec.castles.is_empty() {
            return;
        }
        let letters: BTreeSet<char> = self.spec.castles.iter().map(right).collect();
        let kinds: BTreeSet<usize> = self.spec.castles.iter().map(|c| usize::from(c.rook_kind)).collect();
        let mut usual = letters.len() == self.spec.castles.len();
        let geometry = self.spec.geometry;
        let placed = board::read(&start, geometry).ok();
        for (short, key, rook_key) in [
            (true, "castlingKingsideFile", "castlingRookKingsideFile"),
            (false, "castlingQueensideFile", "castlingRookQueensideFile"),
        ] {
            let of_wing = |castle: &&Castle| right(castle).eq_ignore_ascii_case(&'k') == short;
            let castles: Vec<&Castle> = self.spec.castles.iter().filter(of_wing).collect();
            let Some(first) = castles.first() else { continue };
            let file = |square| geometry.file(square);
            let beside =
                if short { file(first.king[1]).checked_sub(1) } else { Some(file(first.king[1]) + 1) };
            usual &= castles.iter().all(|c| {
                (file(c.king[1]), file(c.rook[0])) == (file(first.king[1]), file(first.rook[0]))
                    && Some(file(c.rook[1])) == beside
            });
            let outermost =
                |c: &&Castle| placed.as_ref().is_some_and(|start| self.is_outermost(start, c, &kinds));
            if !castles.iter().all(outermost) {
                self.say(rook_key, file_name(file(first.rook[0])));
            }
            self.say(key, file_name(file(first.king[1])));
        }
        let ranks = self.spec.castles.iter().map(|castle| {
            let rank = geometry.rank(castle.king[0]);
            if castle.side == Side::White { rank } else { geometry.height() - 1 - rank }
        });
        let ranks: BTreeSet<u8> = ranks.collect();
        if let Some(rank) = ranks.first().filter(|rank| **rank > 0) {
            self.say("castlingRank", (rank + 1).to_string());
        }
        let rooks = self.letters(kinds);
        self.say("castlingRookPieces", rooks);
        let kings: BTreeSet<usize> = self.spec.castles.iter().map(|c| usize::from(c.king_kind)).collect();
        usual &= kings.len() == 1;
        let kings = self.letters(kings);
        self.say("castlingKingPiece", kings);
        let unusual = !usual || ranks.len() > 1;
        self.lose_if(unusual, "castling", "both sides castle alike there, and the rook ends beside the king");
    }

    /// Whether the program would find this rook for the right.
    fn is_outermost(&self, start: &Start, castle: &Castle, kinds: &BTreeSet<usize>) -> bool {
        let [king, _] = castle.king;
        let geometry = self.spec.geometry;
        let rooks = kinds.iter().flat_map(|kind| start.of(self.letter(*kind), castle.side, false));
        let mut rooks = rooks.filter(|rook| geometry.rank(*rook) == geometry.rank(king));
        rooks.all(|rook| if castle.rook[0] > king { rook <= castle.rook[0] } else { rook >= castle.rook[0] })
    }

    fn double_steps(&mut self) {
        let has = |piece: &PieceSpec| piece.motions.iter().any(|motion| motion.initial);
        let kinds = self.kinds(|piece| has(piece) && piece.initial.iter().any(|set| set.any()));
        self.say("doubleStep", (!kinds.is_empty()).to_string());
        let Some(&first) = kinds.first() else { return };
        let zones = self.spec.pieces[first].initial;
        self.regions("doubleStepRegion", zones);
        let uneven = kinds.iter().any(|&kind| self.spec.pieces[kind].initial != zones);
        self.lose_if(
            uneven,
            "piece.initial",
            "initial moves start from the same squares for all pieces there",
        );
    }

    fn territories(&mut self) {
        let all = self.spec.geometry.all();
        for (kind, piece) in self.spec.pieces.iter().enumerate() {
            for side in Side::BOTH {
                let territory = piece.territory[side.index()];
                if territory == all {
                    continue;
                }
                self.say(keys::region(&self.slots[kind], side), self.squares(territory));
                self.lose_if(
                    piece.motions.iter().any(slides),
                    "piece.territory",
                    "pieces may slide over squares that they may not enter there",
                );
            }
        }
    }

    /// One zone for each side, one set of pieces to become, compulsory for all or none.
    fn promotions(&mut self) {
        let mut optional = BTreeSet::new();
        let mut lost = false;
        for side in Side::BOTH {
            let pieces = &self.spec.pieces;
            let of = |kind: usize| {
                let piece = &pieces[kind];
                piece.promotion[side.index()].as_ref().filter(|p| !is_of_pieces(pieces, piece, p))
            };
            let kinds: Vec<usize> = (0..pieces.len()).filter(|kind| of(*kind).is_some()).collect();
            let rule = |kind: usize| {
                of(kind).map(|p| (p.zone, p.to.iter().copied().collect::<BTreeSet<u8>>(), p.optional))
            };
            let first = kinds.first().and_then(|&kind| of(kind));
            let alike: Vec<usize> =
                kinds.iter().copied().filter(|&kind| rule(kind) == rule(kinds[0])).collect();
            lost |= alike.len() < kinds.len();
            let zone = self.squares(first.map_or(Bitboard::EMPTY, |promotion| promotion.zone));
            let to = first.map_or("-".into(), |p| self.letters(p.to.iter().map(|&kind| usize::from(kind))));
            optional.extend(first.map(|promotion| promotion.optional));
            let pawns = self.letters(alike);
            self.say(per_side("promotionPawnTypes", side), pawns);
            self.say(per_side("promotionRegion", side), zone);
            self.say(per_side("promotionPieceTypes", side), to);
        }
        if let Some(optional) = optional.first() {
            self.say("mandatoryPawnPromotion", (!optional).to_string());
        }
        self.lose_if(
            lost || optional.len() > 1,
            "piece.promotion",
            "all pieces of a side promote alike there, and both must or need not",
        );
    }

    fn en_passant(&mut self) {
        let part = self.kinds(|piece| piece.en_passant);
        let steps = self.kinds(|piece| piece.motions.iter().any(|motion| motion.initial));
        let (letters, lost) = (self.letters(part.iter().copied()), !part.is_empty() && part != steps);
        self.say("enPassantTypes", letters);
        self.lose_if(lost, "piece.en-passant", "every initial move may be answered en passant there");
    }

    fn ends(&mut self) {
        let spec = self.spec;
        self.say("stalemateValue", spec.stalemate.name());
        if spec.royal.is_some() {
            self.say("checkmateValue", spec.checkmate.name());
        }
        // A side without pieces cannot move, and kings are never captured.
        let moot = spec.royal.is_some() || spec.stalemate == Outcome::Loss;
        let bare = match spec.bare {
            Bare::Draws => Some("draw"),
            Bare::Loses if !moot => Some("loss"),
            Bare::Key => {
                self.lose(
                    "end.bare",
                    "a side without pieces has lost there, whatever the survivor could reach",
                );
                Some("loss")
            }
            Bare::Nothing | Bare::Loses => None,
        };
        let all = spec.pieces.len();
        match (&spec.extinction, bare) {
            (Some((kinds, result)), bare) => {
                let letters = self.letters(kinds.iter().map(|&kind| usize::from(kind)));
                self.say("extinctionValue", result.name());
                self.say("extinctionPieceTypes", if kinds.len() == all { "*".into() } else { letters });
                let some = kinds.len() > 1 && kinds.len() < all;
                self.lose_if(some, "end.extinction", "the game ends when any of these types is gone there");
                let both = bare.is_some();
                self.lose_if(
                    both,
                    "end.bare",
                    "there is one such rule there, and extinction takes its place",
                );
            }
            (None, Some(result)) => {
                self.say("extinctionValue", result);
                self.say("extinctionPieceTypes", "*");
            }
            (None, None) => {}
        }
    }

    fn key(&mut self) {
        let spec = self.spec;
        let Some(key) = &spec.key else { return };
        let kinds: Vec<usize> = (0..spec.pieces.len()).filter(|kind| key.eligible >> kind & 1 != 0).collect();
        let all = kinds.len() == spec.pieces.len();
        self.say("flagPiece", if all || kinds.len() > 1 { "*".into() } else { self.letters(kinds.clone()) });
        self.lose_if(!all && kinds.len() > 1, "key.eligible", "one type of piece counts there, or all");
        self.regions("flagRegion", key.squares);
        if key.objective == Objective::Try {
            self.say("flagPieceSafe", "true");
        } else if key.objective != Objective::Reach {
            self.say("flagMove", "true");
            self.lose_if(
                spec.stalemate != Outcome::Loss,
                "end.stalemate",
                "it is the same there for a side that cannot move while an enemy stands on its key",
            );
        }
        let secure = key.objective == Objective::Secure;
        self.lose_if(secure, "key.objective", "a piece on the key need not be safe there");
        let dead = spec.royal.is_none()
            && spec.hand.is_none()
            && spec.extinction.is_none()
            && spec.bare != Bare::Loses;
        self.lose_if(dead, "key", "a game in which nobody can reach a key any more goes on there");
    }

    fn draws(&mut self) {
        let spec = self.spec;
        self.say("nFoldRule", spec.repetition.to_string());
        self.repetition();
        self.say("nMoveRule", spec.move_rule.map_or(0, |plies| plies / 2).to_string());
        let progress = self.letters(self.kinds(|piece| piece.resets_clock));
        self.say("nMoveRuleTypes", progress);
        let back = |piece: &PieceSpec| {
            let quiet = |m: &&Motion| m.quiet;
            let reverse =
                |m: &Motion| piece.motions.iter().filter(quiet).any(|n| (n.dx, n.dy) == (-m.dx, -m.dy));
            piece.resets_clock && piece.motions.iter().filter(quiet).any(reverse)
        };
        self.lose_if(
            spec.move_rule.is_some() && spec.pieces.iter().any(back),
            "piece.resets-clock",
            "only moves that cannot be taken back count as progress there",
        );
    }
}

fn slides(motion: &Motion) -> bool {
    motion.range != Range::Leap
}

fn file_name(file: u8) -> String {
    char::from(b'a' + file).to_string()
}
