//! Builds the tables of the handcrafted evaluation from weights.

use super::derive::{come_back, distances, is_pawn, key_distances, moves_to_promotion, royal_arrives};
use super::files::Files;
use super::general::{self, Dropped, Extinction, General, Race, WinningChances};
use super::hand::{Arrival, HandcraftedEvaluation, Held, Key, MARCH, MobilePiece, Pawn, Royal};
use super::start::Start;
use super::taper::Taper;
use super::weights::{GeneralWeights, Pair, Weights};
use jewel_engine::bitboard::{Bitboard, Square};
use jewel_engine::geometry::Geometry;
use jewel_engine::tactics::PieceValues;
use jewel_engine::value::{Outcome, Side};
use jewel_engine::variant::{Bare, Rules};
use jewel_engine::zobrist::MAX_TYPES;

/// Who attacks the squares of a key counts if there are no more than these.
const WIDEST: u32 = 4;

/// The worth, in centipawns, from which the loss of a type makes attacks on royal pieces less dangerous.
const MIGHTY: i32 = 650;

/// The worth in centipawns of a piece that means 100 to a siege.
const BESIEGER: i32 = 300;

/// The exchange value of a royal piece.
const ROYAL_VALUE: i32 = 30_000;

impl HandcraftedEvaluation {
    /// Lays weights out that are in this part of a centipawn.
    pub(crate) fn compile(rules: &Rules, weights: &Weights, unit: i32) -> HandcraftedEvaluation {
        let kinds = 0..rules.type_count() as u8;
        let phase: Vec<i32> = kinds.clone().map(|kind| phase_share(rules, weights, unit, kind)).collect();
        let start = Start::of(rules);
        let both = |kind| Side::BOTH.map(|side| start.count(kind, side) as i32).iter().sum::<i32>();
        let full_phase: i32 = (0..).zip(&phase).map(|(kind, share)| both(kind) * share).sum();
        let royal = rules.royal.map(|kind| Royal {
            kind,
            danger: Taper::new(weights.danger),
            ring: std::array::from_fn(|n| ring(rules, kind, n)),
        });
        let values = exchange_values(rules, weights);
        let mobile = kinds.clone().filter(|&kind| rules.royal != Some(kind) && !is_pawn(rules, kind));
        let mut mobile: Vec<u8> = mobile.collect();
        // Attacks on pieces of more worth count.
        mobile.sort_by_key(|&kind| values[kind as usize]);
        HandcraftedEvaluation {
            squares: kinds.clone().map(|kind| square_table(rules, weights, kind)).collect(),
            phase,
            full_phase: full_phase.max(1),
            mobile: mobile
                .into_iter()
                .map(|kind| {
                    // An attack on a royal piece does not threaten material: the piece moves away, or the game is lost.
                    let royal = rules.captured_royal == Some(kind);
                    piece(weights, kind, if royal { 0 } else { values[kind as usize] / unit })
                })
                .collect(),
            pawns: kinds
                .clone()
                .filter(|&kind| is_pawn(rules, kind))
                .map(|kind| pawn(rules, weights, kind))
                .collect(),
            shifts_pawns: kinds.clone().all(|kind| rules.is_stepper(kind) == is_pawn(rules, kind)),
            files: Files::new(rules),
            supported: Taper::new(weights.supported),
            doubled: Taper::new(weights.doubled),
            royal,
            key: key(rules, weights),
            held: kinds_in_hand(rules, weights, unit),
            tempo: Taper::new(weights.tempo),
            general: (!weights.general.is_nothing())
                .then(|| Box::new(general(rules, &weights.general, &values, unit))),
            values,
        }
    }
}

fn phase_share(rules: &Rules, weights: &Weights, unit: i32, kind: u8) -> i32 {
    if rules.royal == Some(kind) || is_pawn(rules, kind) {
        return 0;
    }
    (weights.pieces[kind as usize].material[0] / (50 * unit)).clamp(1, 40)
}

/// The types that can be in hand, with their worth there.
fn kinds_in_hand(rules: &Rules, weights: &Weights, unit: i32) -> Vec<Held> {
    let held =
        (0..rules.type_count() as u8).zip(&weights.pieces).filter(|(kind, _)| rules.may_be_held(*kind));
    let held = held.filter_map(|(kind, piece)| piece.hand.map(|pair| (kind, pair)));
    held.map(|(kind, pair)| Held {
        kind,
        worth: Taper::new(pair),
        phase: phase_share(rules, weights, unit, kind),
    })
    .collect()
}

fn exchange_values(rules: &Rules, weights: &Weights) -> PieceValues {
    let mut values = [0; MAX_TYPES];
    for (value, piece) in values.iter_mut().zip(&weights.pieces) {
        // Mobility is part of the worth; a piece has about five squares.
        *value = ((piece.material[0] + piece.material[1]) / 2 + 5 * piece.mobility[0]).max(1);
    }
    if let Some(royal) = rules.royal.or(rules.captured_royal) {
        values[royal as usize] = ROYAL_VALUE;
    }
    values
}

fn ring(rules: &Rules, royal: u8, square: usize) -> Bitboard {
    let square = Square::new(square as u8);
    if !rules.geometry.all().has(square) {
        return Bitboard::EMPTY;
    }
    let steps = rules.capture_targets(royal, Side::White, square, Bitboard::ALL);
    steps | rules.capture_targets(royal, Side::Black, square, Bitboard::ALL) | square.bit()
}

/// A square as a side sees it; weights are written for White.
fn seen_by(rules: &Rules, side: Side, square: Square) -> usize {
    let geometry = rules.geometry;
    usize::from(from_home(geometry, side, square) * geometry.width() + geometry.file(square))
}

/// How many ranks a square is from a side's first one.
fn from_home(geometry: Geometry, side: Side, square: Square) -> u8 {
    let rank = geometry.rank(square);
    if side == Side::White { rank } else { geometry.height() - 1 - rank }
}

fn square_table(rules: &Rules, weights: &Weights, kind: u8) -> [[Taper; 64]; 2] {
    let piece = &weights.pieces[kind as usize];
    let mut table = [[Taper::default(); 64]; 2];
    for side in Side::BOTH {
        let far = piece.key_distance.len().saturating_sub(1);
        let distances = key_distances(rules, kind, side, far);
        for square in rules.geometry.squares() {
            let mut weight =
                Taper::new(piece.material) + Taper::new(piece.squares[seen_by(rules, side, square)]);
            if let Some(&bonus) = piece.key_distance.get(usize::from(distances[square.index()])) {
                weight += Taper::new(bonus);
            }
            table[side.index()][square.index()] = weight;
        }
    }
    table
}

/// What is known of a type that moves, worth so many centipawns.
fn piece(weights: &Weights, kind: u8, worth: i32) -> MobilePiece {
    let (piece, general) = (&weights.pieces[kind as usize], &weights.general);
    let curve = |squares: usize| {
        let bend = piece.mobility_curve.get(squares).or(piece.mobility_curve.last());
        let cramped = general.cramped.get(squares);
        Taper::new(bend.copied().unwrap_or_default()) + Taper::new(cramped.copied().unwrap_or_default())
    };
    let threat = |plain: Pair, more: Pair| Taper::new([0, 1].map(|n| plain[n] + more[n] * worth / 256));
    MobilePiece {
        kind,
        mobility: Taper::new(piece.mobility),
        curve: std::array::from_fn(curve),
        by_pawn: threat(general.by_pawn, general.by_pawn_worth),
        by_lesser: threat(general.by_lesser, general.by_lesser_worth),
        ring: piece.ring,
        menace: 100 * BESIEGER / worth.max(50),
    }
}

fn pawn(rules: &Rules, weights: &Weights, kind: u8) -> Pawn {
    let mut passed = [[[0; 2]; 64]; 2];
    for side in Side::BOTH {
        for square in rules.geometry.squares() {
            let Some(moves) = moves_to_promotion(rules, kind, side, square) else { continue };
            let bonus = weights.passed.get(moves - 1).or(weights.passed.last());
            passed[side.index()][square.index()] = bonus.copied().unwrap_or_default();
        }
    }
    let race = |side| race(rules, &weights.general, side, &passed[side.index()]);
    Pawn {
        kind,
        passed: passed.map(|table| table.map(Taper::new)),
        race: (!weights.general.is_nothing()).then(|| Box::new(Side::BOTH.map(race))),
    }
}

fn race(rules: &Rules, weights: &GeneralWeights, side: Side, passed: &[Pair; 64]) -> Race {
    let part =
        |weight: Pair| passed.map(|bonus| Taper::new([0, 1].map(|n| bonus[n] * weight[n] / general::WHOLE)));
    let forward = if side == Side::White { 1 } else { -1 };
    let next = |n: usize| {
        let square = Square::new(n as u8);
        let next = rules.geometry.all().has(square).then(|| rules.geometry.step(square, 0, forward));
        next.flatten().unwrap_or(square)
    };
    Race {
        free: part(weights.passed_free),
        safe: part(weights.passed_safe),
        chase: part(weights.passed_chase),
        escort: part(weights.passed_escort),
        next: std::array::from_fn(next),
    }
}

fn general(rules: &Rules, weights: &GeneralWeights, values: &PieceValues, unit: i32) -> General {
    let kinds = 0..rules.type_count() as u8;
    General {
        pair: Taper::new(weights.pair),
        bound: kinds.filter(|&kind| rules.royal != Some(kind) && is_bound(rules, kind)).collect(),
        dark: rules.geometry.dark(),
        isolated: Taper::new(weights.isolated),
        phalanx: Taper::new(weights.phalanx),
        backward: Taper::new(weights.backward),
        shelter: Taper::new(weights.shelter),
        exposed: Taper::new(weights.exposed),
        bare_file: Taper::new(weights.bare_file),
        storm: Taper::new(weights.storm),
        by_step: Taper::new(weights.by_step),
        hanging: Taper::new(weights.hanging),
        outnumbered: Taper::new(weights.outnumbered),
        contested: Taper::new(weights.contested),
        outpost: Taper::new(weights.outpost),
        half_open: Taper::new(weights.half_open),
        open: Taper::new(weights.open),
        space: Taper::new(weights.space),
        same_colour: Taper::new(weights.same_colour),
        vertical: kinds_along_files(rules),
        takes_beside: takes_beside(rules),
        far_half: Side::BOTH.map(|side| half(rules, !side)),
        near_half: Side::BOTH.map(|side| half(rules, side)),
        storms: Box::new(Side::BOTH.map(|side| std::array::from_fn(|n| storm(rules, side, n)))),
        units: weights.units,
        mighty: mighty(rules, values, unit),
        dropped: dropped(rules),
        hunt: Taper::new(weights.hunt),
        steps: rules.royal.map(|royal| Box::new(steps(rules, royal))),
        shelters: Box::new(Side::BOTH.map(|side| std::array::from_fn(|n| shelter(rules, side, n)))),
        surroundings: Box::new(std::array::from_fn(|n| surroundings(rules, n))),
        flanks: Box::new(Side::BOTH.map(|side| std::array::from_fn(|n| flank(rules, side, n)))),
        winning_chances: winning_chances(rules, values, unit),
        extinction: rules.extinction.as_ref().filter(|_| !weights.remaining.is_empty()).map(|(kinds, _)| {
            let remaining = weights.remaining.iter().map(|&pair| Taper::new(pair)).collect();
            Extinction { kinds: kinds.clone(), remaining }
        }),
    }
}

/// The types that can be dropped from a hand.
fn dropped(rules: &Rules) -> Vec<Dropped> {
    let drop = |kind: u8| {
        let held = rules.dropped_from(kind)?;
        let zone = Side::BOTH.map(|side| rules.drop_zone(kind, side).unwrap_or(Bitboard::EMPTY));
        Some(Dropped { kind, held, zone })
    };
    let kinds = (0..rules.type_count() as u8).filter(|&kind| rules.royal != Some(kind));
    if come_back(rules) { kinds.filter_map(drop).collect() } else { Vec::new() }
}

/// Types worth as much as two usual pieces, such as queens.
fn mighty(rules: &Rules, values: &PieceValues, unit: i32) -> Vec<u8> {
    let kinds = 0..rules.type_count() as u8;
    let is_mighty = |kind: &u8| values[*kind as usize] >= MIGHTY * unit;
    kinds.filter(|kind| rules.royal != Some(*kind)).filter(is_mighty).collect()
}

/// By squares: the moves of a royal piece from one to the other on an empty board.
fn steps(rules: &Rules, royal: u8) -> [[u8; 64]; 64] {
    let mut steps = [[general::FAR; 64]; 64];
    for from in rules.geometry.squares() {
        let mut reached = from.bit();
        steps[from.index()][from.index()] = 0;
        for moves in 1..general::FAR {
            let next = reached
                .into_iter()
                .fold(reached, |set, at| set | rules.capture_targets(royal, Side::White, at, at.bit()));
            for to in next & !reached {
                steps[from.index()][to.index()] = moves;
            }
            reached = next;
        }
    }
    steps
}

/// The squares on a royal piece's file and those beside, one and two ranks before it.
fn shelter(rules: &Rules, side: Side, square: usize) -> Bitboard {
    let square = Square::new(square as u8);
    if !rules.geometry.all().has(square) {
        return Bitboard::EMPTY;
    }
    let forward = if side == Side::White { 1 } else { -1 };
    let before = |dx| [1, 2].map(|dy| rules.geometry.step(square, dx, dy * forward));
    (-1..=1).flat_map(before).flatten().collect()
}

/// The squares on the files of a side's royal piece and beside, from two to four ranks before it.
fn storm(rules: &Rules, side: Side, square: usize) -> Bitboard {
    let square = Square::new(square as u8);
    if !rules.geometry.all().has(square) {
        return Bitboard::EMPTY;
    }
    let forward = if side == Side::White { 1 } else { -1 };
    let before = |dx| [2, 3, 4].map(|dy| rules.geometry.step(square, dx, dy * forward));
    (-1..=1).flat_map(before).flatten().collect()
}

/// A square and the squares around it, or around its neighbour where it is at the rim.
fn surroundings(rules: &Rules, square: usize) -> Bitboard {
    let geometry = rules.geometry;
    let square = Square::new(square as u8);
    if !geometry.all().has(square) {
        return Bitboard::EMPTY;
    }
    let inside = |at: u8, size: u8| if size < 3 { i32::from(at) } else { i32::from(at.clamp(1, size - 2)) };
    let file = inside(geometry.file(square), geometry.width());
    let rank = inside(geometry.rank(square), geometry.height());
    let around = (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (dx, dy)));
    around.filter_map(|(dx, dy)| geometry.at(file + dx, rank + dy)).chain([square]).collect()
}

/// The files near a square of a side's royal piece, on five ranks of eight from its home.
fn flank(rules: &Rules, side: Side, square: usize) -> Bitboard {
    let geometry = rules.geometry;
    let square = Square::new(square as u8);
    if !geometry.all().has(square) {
        return Bitboard::EMPTY;
    }
    let near = |other: &Square| {
        8 * u32::from(from_home(geometry, side, *other)) < 5 * u32::from(geometry.height())
            && geometry.file(*other).abs_diff(geometry.file(square)) <= 2
    };
    geometry.squares().filter(near).collect()
}

/// The ranks of a side's half of the board, without the middle one.
fn half(rules: &Rules, side: Side) -> Bitboard {
    let geometry = rules.geometry;
    let near = |square: &Square| from_home(geometry, side, *square) < geometry.height() / 2;
    geometry.squares().filter(near).collect()
}

/// Types that move along files, two ranks and more in both directions.
fn kinds_along_files(rules: &Rules) -> Vec<u8> {
    let geometry = rules.geometry;
    let far = |kind: u8, from: Square, to: Square| {
        rules.quiet_targets(kind, Side::White, from, from.bit()).has(to)
            && !rules.quiet_targets(kind, Side::White, from, Bitboard::ALL & !to.bit()).has(to)
    };
    let slides = |&kind: &u8| {
        geometry.squares().all(|from| {
            [-2, 2].into_iter().filter_map(|dy| geometry.step(from, 0, dy)).all(|to| far(kind, from, to))
        })
    };
    let kinds = 0..rules.type_count() as u8;
    kinds.filter(|&kind| rules.royal != Some(kind) && !is_pawn(rules, kind)).filter(slides).collect()
}

/// Whether all pawn-like pieces step straight forward and take to both sides of that, as those of chess do.
fn takes_beside(rules: &Rules) -> bool {
    let geometry = rules.geometry;
    let mut kinds = (0..rules.type_count() as u8).filter(|&kind| is_pawn(rules, kind)).peekable();
    let at = |from: Square, steps: &[i32]| -> Bitboard {
        steps.iter().filter_map(|&dx| geometry.step(from, dx, 1)).collect()
    };
    let like_chess = |kind: u8| {
        geometry.squares().all(|from| {
            let steps = rules.quiet_targets(kind, Side::White, from, from.bit());
            let takes = rules.capture_targets(kind, Side::White, from, Bitboard::ALL);
            takes == at(from, &[-1, 1]) && at(from, &[0]).into_iter().all(|to| steps.has(to))
        })
    };
    kinds.peek().is_some() && kinds.all(like_chess)
}

fn is_bound(rules: &Rules, kind: u8) -> bool {
    let dark = rules.geometry.dark();
    let mut moves = 0;
    let stays = |from: Square| {
        let targets = rules.quiet_targets(kind, Side::White, from, from.bit())
            | rules.capture_targets(kind, Side::White, from, from.bit());
        moves += targets.count();
        (targets & if dark.has(from) { !dark } else { dark }).is_empty()
    };
    let bound = rules.geometry.squares().all(stays);
    bound && moves > 0 && !is_pawn(rules, kind)
}

/// Nothing where a side can win without giving mate.
fn winning_chances(rules: &Rules, values: &PieceValues, unit: i32) -> Option<WinningChances> {
    rules.royal?;
    if rules.key.is_some() || rules.hand.is_some() || rules.extinction.is_some() || rules.bare == Bare::Loses
    {
        return None;
    }
    if rules.checkmate != Outcome::Loss || rules.stalemate != Outcome::Draw {
        return None;
    }
    let kinds = 0..rules.type_count() as u8;
    let promotable: Vec<u8> =
        kinds.clone().filter(|&kind| rules.promotion(kind, Side::White).is_some()).collect();
    let start = Start::of(rules);
    let count = |side| promotable.iter().map(|&kind| start.count(kind, side)).sum::<u32>();
    let first = count(Side::White).max(count(Side::Black)) as i32;
    let counts = |kind: u8| rules.royal != Some(kind) && !promotable.contains(&kind);
    let worth = kinds.map(|kind| if counts(kind) { values[kind as usize] / unit } else { 0 }).collect();
    (first > 0).then_some(WinningChances { worth, promotable, first, least: 400 })
}

fn key(rules: &Rules, weights: &Weights) -> Option<Key> {
    let key = rules.key.as_ref()?;
    let fought = key.squares.map(|squares| if squares.count() > WIDEST { Bitboard::EMPTY } else { squares });
    let kinds = 0..rules.type_count() as u8;
    let lines = |kind: u8| {
        Side::BOTH.map(|side| {
            let squares = rules.geometry.squares();
            squares
                .filter(|&from| {
                    let targets = rules.capture_targets(kind, side, from, Bitboard::EMPTY);
                    fought[side.index()].is_single() && (targets & fought[side.index()]).any()
                })
                .collect()
        })
    };
    let slides = |kind: &u8| !rules.is_stepper(*kind);
    Some(Key {
        squares: fought,
        eligible: kinds.clone().filter(|kind| key.eligible >> kind & 1 != 0).collect(),
        lines: kinds.clone().filter(slides).map(lines).collect(),
        reach: kinds.map(|kind| Side::BOTH.map(|side| rules.key_reach(kind, side))).collect(),
        control: Taper::new(weights.key.control),
        blocked_line: Taper::new(weights.key.blocked_line),
        threat: Taper::new(weights.key.threat),
        winning: Taper::new(weights.key.winning),
        hopes: Taper::new(weights.key.hopes),
        arrival: arrival(rules, &weights.key.arrival).map(Box::new),
        only_way: rules.royal.is_none()
            && rules.hand.is_none()
            && rules.extinction.is_none()
            && rules.bare != Bare::Loses,
    })
}

/// The way of a royal piece to its key, if there are weights for it.
fn arrival(rules: &Rules, weights: &[Pair]) -> Option<Arrival> {
    let key = rules.key.as_ref()?;
    let kind = royal_arrives(rules).filter(|_| !weights.is_empty())?;
    let mut near = [[[Bitboard::EMPTY; MARCH]; 64]; 2];
    for side in Side::BOTH {
        for target in key.squares[side.index()] {
            let distances = distances(rules, kind, side, target.bit(), MARCH + 1);
            for square in rules.geometry.squares() {
                let moves = usize::from(distances[square.index()]);
                if (1..=MARCH).contains(&moves) {
                    near[side.index()][square.index()][moves - 1] |= target.bit();
                }
            }
        }
    }
    let weight = |plies: usize| weights.get(plies).map_or(Taper::default(), |&pair| Taper::new(pair));
    Some(Arrival { kind, near, weights: std::array::from_fn(weight) })
}
