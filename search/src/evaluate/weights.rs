//! The weights of the handcrafted evaluation as plain data, for tuners and files.

use jewel_engine::variant::Rules;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Two weights in centipawns: for the opening, with all pieces on the board, and for the endgame, with none. The
/// evaluation interpolates between them by the material left.
pub type Pair = [i32; 2];

/// All weights of a game's evaluation, from the point of view of the side that a term belongs to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weights {
    /// The game they are for.
    pub game: String,
    /// The command that made them.
    pub origin: String,
    /// By piece type, in the order of the rules.
    pub pieces: Vec<PieceWeights>,
    /// A pawn-like piece that no enemy pawn can stop any more, by moves to promotion from 1; the last entry is for more.
    pub passed: Vec<Pair>,
    /// A pawn-like piece defended by another.
    pub supported: Pair,
    /// A pawn-like piece with another of its side in front of it.
    pub doubled: Pair,
    /// The squared number of attack units on the squares around the enemy's royal piece, in 1/64.
    pub danger: Pair,
    /// The fight for the key.
    pub key: KeyWeights,
    /// The right to move.
    pub tempo: Pair,
    /// What files of weights did not have before version 0.3. A file without it has none of these terms.
    #[serde(default, skip_serializing_if = "GeneralWeights::is_nothing")]
    pub general: GeneralWeights,
}

/// Terms of structure, safety and threats that any chess-like game may have.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeneralWeights {
    /// Pieces bound to one colour of squares, on both colours.
    pub pair: Pair,
    /// A piece that attacks 0, 1 or 2 squares of those that count for mobility.
    pub cramped: [Pair; 3],
    /// A pawn-like piece without others of its side on the files beside it.
    pub isolated: Pair,
    /// A pawn-like piece with another of its side beside it.
    pub phalanx: Pair,
    /// A pawn-like piece that others can no longer defend, and that may not advance.
    pub backward: Pair,
    /// What a passed piece gains by a free square before it, in 1/64 of the weight for passing.
    pub passed_free: Pair,
    /// What it gains by a free way to promotion that the enemy does not attack, in 1/64 of the weight for passing.
    pub passed_safe: Pair,
    /// For a passed piece, each move of the enemy's royal piece to the square before it, in 1/64 of the weight for
    /// passing.
    pub passed_chase: Pair,
    /// For a passed piece, each move of the own royal piece to the square before it, in 1/64 of the weight for passing.
    pub passed_escort: Pair,
    /// Each pawn-like piece on the files of its royal piece and beside, up to two ranks before it.
    pub shelter: Pair,
    /// A royal piece with no pawn-like piece of its side before it on its file and those beside.
    pub exposed: Pair,
    /// Each file of a royal piece and beside it on which no pawn-like piece of its side stands before it.
    #[serde(default)]
    pub bare_file: Pair,
    /// A pawn-like piece on the files of the enemy's royal piece and beside, from two to four ranks before it.
    #[serde(default)]
    pub storm: Pair,
    /// An enemy piece that a pawn-like piece attacks.
    pub by_pawn: Pair,
    /// What this adds for each 256 centipawns that the enemy piece is worth.
    #[serde(default)]
    pub by_pawn_worth: Pair,
    /// An enemy piece that a piece of less worth attacks.
    pub by_lesser: Pair,
    /// What this adds for each 256 centipawns that the enemy piece is worth.
    #[serde(default)]
    pub by_lesser_worth: Pair,
    /// An enemy piece that a pawn-like piece would attack after a step to a square where it is safe.
    #[serde(default)]
    pub by_step: Pair,
    /// An enemy piece that is attacked and not defended.
    pub hanging: Pair,
    /// An enemy piece that is attacked twice and defended once, not by a pawn-like piece.
    #[serde(default)]
    pub outnumbered: Pair,
    /// A square that both sides attack, and that the enemy does not hold with pawn-like pieces or more attackers.
    #[serde(default)]
    pub contested: Pair,
    /// A piece in the enemy's half that a pawn-like piece defends and that no enemy one can ever attack.
    #[serde(default)]
    pub outpost: Pair,
    /// A piece that moves along files, on a file without pawn-like pieces of its side.
    #[serde(default)]
    pub half_open: Pair,
    /// What this adds if there is none of the enemy either.
    #[serde(default)]
    pub open: Pair,
    /// A square of the own half behind a pawn-like piece that no enemy one attacks.
    #[serde(default)]
    pub space: Pair,
    /// For each piece that is bound to squares of one colour: a pawn-like piece of its side on that colour.
    #[serde(default)]
    pub same_colour: Pair,
    /// Attack units against the enemy's royal piece, in quarters. With them, those of [`PieceWeights::ring`] do not
    /// count.
    pub units: AttackUnits,
    /// Where the enemy has nothing but its royal piece: each move by which ours is nearer to it than seven.
    pub hunt: Pair,
    /// In a game that the extinction of some types ends: by the pieces of these types that a side still has, from 0; the
    /// last entry is for more. Empty in other games.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remaining: Vec<Pair>,
}

/// What makes an attack on a royal piece dangerous: attack units, in quarters. Their square is the danger.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AttackUnits {
    /// Each time that a square around the royal piece is attacked.
    pub near: i32,
    /// The square of the number of pieces that attack there.
    pub attackers: i32,
    /// Each attacked square around the royal piece that nothing else defends.
    pub weak: i32,
    /// Each square, up to three, from where a piece can give check that cannot be taken.
    pub check: i32,
    /// Each square, up to three, from where a piece can give check and be taken.
    #[serde(default)]
    pub met: i32,
    /// Each square around the royal piece that its side's other pieces defend: not positive.
    #[serde(default)]
    pub guarded: i32,
    /// Each file of the royal piece and beside it on which no pawn-like piece of its side stands before it.
    #[serde(default)]
    pub bare: i32,
    /// Units that are always there, so that a slight danger counts, too.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub base: i32,
    /// The number of attackers of the royal piece's surroundings, pawn-like ones by the squares that they attack, times
    /// the sum of 300 divided by the worth of each of the others.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub siege: i32,
    /// Each attacked square of the surroundings that nothing but the royal piece defends.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub breach: i32,
    /// Each piece that would attack the royal piece if only pawn-like pieces of its side could be in the way.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ray: i32,
    /// Each attacked square of the royal piece's side of the board: of two files to both sides and five ranks of eight.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub crowd: i32,
    /// Where the attacker has lost all pieces of great worth: not positive.
    pub calm: i32,
    /// Each piece in the attacker's hand, up to five.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub held: i32,
    /// Each square, up to three, where a piece in hand can be dropped with check and not be taken.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub drop_check: i32,
    /// Each square, up to three, where a piece in hand can be dropped with check and be taken.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub drop_met: i32,
    /// With a piece in hand: each empty square around the royal piece that its side's other pieces do not defend.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub hole: i32,
}

impl GeneralWeights {
    /// Whether none of the terms counts.
    pub fn is_nothing(&self) -> bool {
        *self == GeneralWeights::default()
    }
}

/// The weights of one piece type.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PieceWeights {
    /// Its letter in position strings.
    pub letter: char,
    /// Its worth.
    pub material: Pair,
    /// Each square that it attacks, except own pieces and squares attacked by enemy pawns.
    pub mobility: Pair,
    /// What the mobility of one piece adds to that, by the squares that it attacks from 0; the last entry is for more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mobility_curve: Vec<Pair>,
    /// Attack units for each square around the enemy's royal piece that it attacks.
    pub ring: i32,
    /// By moves to the key on an empty board, from 0; the last entry is for more or never. Empty if the piece cannot win
    /// there.
    pub key_distance: Vec<Pair>,
    /// By square, as White sees the board, from `a1` along the ranks.
    pub squares: Vec<Pair>,
    /// Its worth in hand, in games in which it can be there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hand: Option<Pair>,
}

/// The weights of the fight for the key square.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyWeights {
    /// Each piece that attacks the key square.
    pub control: Pair,
    /// A slider whose line to the key square is blocked.
    pub blocked_line: Pair,
    /// An eligible piece attacks the key, with more attackers than the enemy has: not to move. Royal pieces do not count here
    /// if they have an [`arrival`](KeyWeights::arrival).
    pub threat: Pair,
    /// The same for the side to move.
    pub winning: Pair,
    /// Each eligible piece that could ever reach the key, up to three.
    pub hopes: Pair,
    /// By plies until a royal piece could step onto a square of the key that no enemy attacks now, from 1; later is worth
    /// nothing. Empty where no royal piece wins by that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arrival: Vec<Pair>,
}

/// Why weights cannot be used.
#[derive(Debug, Error)]
pub enum WeightsError {
    /// The text is not a weights file.
    #[error("weights: {0}")]
    Syntax(String),
    /// The weights are for another game.
    #[error("weights: made for {found}, but {game} needs {expected}")]
    Mismatch {
        /// The game to be played.
        game: String,
        /// What the game needs.
        expected: String,
        /// What the weights have.
        found: String,
    },
}

impl Weights {
    /// Reads a weights file (JSON) and checks that it fits the rules.
    ///
    /// # Errors
    /// One line that says what is wrong.
    pub fn parse(text: &str, rules: &Rules) -> Result<Weights, WeightsError> {
        let weights: Weights = serde_json::from_str(text).map_err(|e| WeightsError::Syntax(e.to_string()))?;
        weights.check(rules)?;
        Ok(weights)
    }

    /// The text of a weights file: a line for each list.
    pub fn to_text(&self) -> String {
        // Numbers, letters and lists always serialize.
        let mut rest = &*serde_json::to_string_pretty(self).unwrap_or_else(|e| unreachable!("{e}"));
        let mut text = String::new();
        while let Some(begin) = rest.find('[') {
            text.push_str(&rest[..begin]);
            let length = list_of_numbers(&rest[begin..]);
            let (list, after) = rest[begin..].split_at(length.unwrap_or(1));
            let words: String = list.split_whitespace().collect();
            text.push_str(&words.replace(',', ", "));
            rest = after;
        }
        text + rest + "\n"
    }

    /// Whether the weights fit the rules.
    ///
    /// # Errors
    /// If piece types or board differ.
    pub fn check(&self, rules: &Rules) -> Result<(), WeightsError> {
        let mismatch = |expected: String, found: String| {
            Err(WeightsError::Mismatch { game: rules.id.clone(), expected, found })
        };
        let wanted: String = rules.pieces.iter().map(|piece| piece.letter).collect();
        let found: String = self.pieces.iter().map(|piece| piece.letter).collect();
        if wanted != found {
            return mismatch(format!("pieces {wanted}"), format!("pieces {found}"));
        }
        let area = usize::from(rules.geometry.area());
        if let Some(piece) = self.pieces.iter().find(|piece| piece.squares.len() != area) {
            return mismatch(format!("{area} squares"), format!("{} squares", piece.squares.len()));
        }
        Ok(())
    }

    /// Every pair of weights that a tuner changes, with its term, in a fixed order.
    ///
    /// Attack units ([`PieceWeights::ring`] and [`AttackUnits`]) are not among them: they multiply with
    /// [`danger`](Weights::danger), which is.
    pub fn terms_mut(&mut self) -> Vec<(Term, &mut Pair)> {
        let mut list = Vec::new();
        for (kind, piece) in (0..).zip(&mut self.pieces) {
            list.push((Term::Material(kind), &mut piece.material));
            list.push((Term::Mobility(kind), &mut piece.mobility));
            list.extend(piece.hand.as_mut().map(|pair| (Term::Hand(kind), pair)));
            let distances = (0..).zip(&mut piece.key_distance);
            list.extend(distances.map(|(moves, pair)| (Term::KeyDistance(kind, moves), pair)));
            let squares = (0..).zip(&mut piece.squares);
            list.extend(squares.map(|(square, pair)| (Term::Square(kind, square), pair)));
        }
        list.extend((1..).zip(&mut self.passed).map(|(moves, pair)| (Term::Passed(moves), pair)));
        let key = &mut self.key;
        list.extend((1..).zip(&mut key.arrival).map(|(plies, pair)| (Term::Arrival(plies), pair)));
        list.extend([
            (Term::Supported, &mut self.supported),
            (Term::Doubled, &mut self.doubled),
            (Term::Danger, &mut self.danger),
            (Term::Control, &mut key.control),
            (Term::BlockedLine, &mut key.blocked_line),
            (Term::Threat, &mut key.threat),
            (Term::Winning, &mut key.winning),
            (Term::Hopes, &mut key.hopes),
            (Term::Tempo, &mut self.tempo),
        ]);
        let general = &mut self.general;
        list.extend((0..).zip(&mut general.cramped).map(|(squares, pair)| (Term::Cramped(squares), pair)));
        list.extend([
            (Term::ColourPair, &mut general.pair),
            (Term::Isolated, &mut general.isolated),
            (Term::Phalanx, &mut general.phalanx),
            (Term::Backward, &mut general.backward),
            (Term::PassedFree, &mut general.passed_free),
            (Term::PassedSafe, &mut general.passed_safe),
            (Term::PassedChase, &mut general.passed_chase),
            (Term::PassedEscort, &mut general.passed_escort),
            (Term::Shelter, &mut general.shelter),
            (Term::Exposed, &mut general.exposed),
            (Term::BareFile, &mut general.bare_file),
            (Term::Storm, &mut general.storm),
            (Term::ByPawn, &mut general.by_pawn),
            (Term::ByPawnWorth, &mut general.by_pawn_worth),
            (Term::ByLesser, &mut general.by_lesser),
            (Term::ByLesserWorth, &mut general.by_lesser_worth),
            (Term::ByStep, &mut general.by_step),
            (Term::Hanging, &mut general.hanging),
            (Term::Outnumbered, &mut general.outnumbered),
            (Term::Contested, &mut general.contested),
            (Term::Outpost, &mut general.outpost),
            (Term::HalfOpen, &mut general.half_open),
            (Term::Open, &mut general.open),
            (Term::Space, &mut general.space),
            (Term::SameColour, &mut general.same_colour),
            (Term::Hunt, &mut general.hunt),
        ]);
        list.extend((0..).zip(&mut general.remaining).map(|(left, pair)| (Term::Remaining(left), pair)));
        list
    }
}

/// The term that a pair of weights belongs to: the fields of [`Weights`] with the same names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs, reason = "the fields are described where they are")]
pub enum Term {
    Material(u8),
    Mobility(u8),
    Hand(u8),
    /// Of a piece type, by moves to the key.
    KeyDistance(u8, u8),
    /// Of a piece type, by square as White sees the board.
    Square(u8, u8),
    /// By moves to promotion.
    Passed(u8),
    Supported,
    Doubled,
    Danger,
    Control,
    BlockedLine,
    Threat,
    Winning,
    Hopes,
    /// By plies until a royal piece could win at the key.
    Arrival(u8),
    Tempo,
    /// By squares that a piece attacks.
    Cramped(u8),
    ColourPair,
    Isolated,
    Phalanx,
    Backward,
    PassedFree,
    PassedSafe,
    PassedChase,
    PassedEscort,
    Shelter,
    Exposed,
    BareFile,
    Storm,
    ByPawn,
    ByPawnWorth,
    ByLesser,
    ByLesserWorth,
    ByStep,
    Hanging,
    Outnumbered,
    Contested,
    Outpost,
    HalfOpen,
    Open,
    Space,
    SameColour,
    Hunt,
    /// By pieces left.
    Remaining(u8),
}

fn is_zero(units: &i32) -> bool {
    *units == 0
}

/// The length of the list at the beginning of a text, if it contains only numbers and lists of numbers.
fn list_of_numbers(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (n, byte) in text.bytes().enumerate() {
        match byte {
            b'[' => depth += 1,
            b']' => depth -= 1,
            b'{' | b'"' => return None,
            _ => (),
        }
        if depth == 0 {
            return Some(n + 1);
        }
    }
    None
}
