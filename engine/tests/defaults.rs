//! The defaults of the contract are right for every game: games that override much, stripped of all they override.

use jewel_engine::ability::{Game, Notation, Packed, PackedKey, Symmetric};
use jewel_engine::chance::Chance;
use jewel_engine::chesslike::{ChessGame, General};
use jewel_engine::crown_jewels::CrownJewelsGame;
use jewel_engine::crystal::CrystalGame;
use jewel_engine::games;
use jewel_engine::kings_mate::{Basic, KingsMateGame};
use jewel_engine::laws;
use jewel_engine::perft::{PerftTable, perft, perft_hashed};
use jewel_engine::playout::{Playout, Step};
use jewel_engine::position::Position;
use jewel_engine::random::Random;
use jewel_engine::tactics::Tactics;
use jewel_engine::value::{Outcome, Side};
use jewel_engine::world_tree::WorldTreeGame;
use std::error::Error;
use std::ops::ControlFlow;

/// A position with nothing but what is required.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Bare<P>(P);

impl<P: Position> Position for Bare<P> {
    type Move = P::Move;

    fn side_to_move(&self) -> Side {
        self.0.side_to_move()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.0.outcome()
    }

    fn moves<B>(&self, visit: impl FnMut(P::Move) -> ControlFlow<B>) -> ControlFlow<B> {
        self.0.moves(visit)
    }

    fn play(&mut self, mv: P::Move) {
        self.0.play(mv);
    }
}

impl<P: Notation> Notation for Bare<P> {
    fn position_text(&self) -> String {
        self.0.position_text()
    }

    fn move_text(&self, mv: P::Move) -> String {
        self.0.move_text(mv)
    }
}

impl<P: Packed> Packed for Bare<P> {
    // Not one word in the larger games.
    fn packed_bits(&self) -> u32 {
        self.0.packed_bits()
    }

    fn pack<K: PackedKey>(&self) -> K {
        self.0.pack()
    }

    fn unpack<K: PackedKey>(&self, key: K) -> Self {
        Bare(self.0.unpack(key))
    }
}

impl<P: Position> Chance for Bare<P> {}
impl<P: Position> Playout for Bare<P> {}
impl<P: Position> Symmetric for Bare<P> {}
impl<P: Position> Tactics for Bare<P> {}

#[derive(Clone)]
struct BareGame<G>(G);

impl<G: Game> Game for BareGame<G> {
    type Position = Bare<G::Position>;

    fn id(&self) -> &str {
        self.0.id()
    }

    fn start(&self) -> Self::Position {
        Bare(self.0.start())
    }

    fn parse_position(&self, text: &str) -> Result<Self::Position, Box<dyn Error + Send + Sync>> {
        self.0.parse_position(text).map(Bare)
    }
}

/// Plays at random, by either kind of step, and checks what must hold; then counts with and without hashes.
fn check<G: Game<Position: Packed + Tactics + Playout>>(game: G) {
    let full = game.start();
    let game = BareGame(game);
    laws::check_playable(&game, 3, 60, 4).unwrap_or_else(|e| panic!("{e}"));
    let start = game.start();
    let (nodes, table) = (perft(&start, 3), PerftTable::new(1).unwrap());
    assert_eq!((perft(&full, 3), perft_hashed(&start, 3, &table)), (nodes, nodes));
    let mut random = Random::new(2);
    let mut position = start;
    for _ in 0..60 {
        let diagram = position.diagram();
        assert_eq!(diagram.cells.len(), diagram.width * diagram.height);
        let error = position.parse_move("?").unwrap_err().to_string();
        assert!(!error.contains('\n') && !error.is_empty());
        let Step::Move(mv) = position.keen_step(&mut random) else { break };
        assert!(position.is_legal(mv) && !position.is_noisy(mv));
        position.play(mv);
    }
}

#[test]
fn a_game_without_anything_of_its_own_keeps_the_laws() {
    for id in ["duel", "ambush", "diamond-chess", "crystal-of-doom"] {
        check(ChessGame::<General, 32>::new(games::find(id).unwrap().rules()).unwrap());
    }
    check(KingsMateGame::<Basic>::new());
    check(CrystalGame::with_parameters("tiers=3,molecules=2").unwrap());
    check(CrownJewelsGame::with_parameters("tiles=2,files=3,ranks=4").unwrap());
    // Two plies of one player in a turn.
    check(WorldTreeGame::standard());
}

#[test]
fn a_board_is_drawn_from_its_text() {
    let game = BareGame(ChessGame::<General, 32>::new(games::find("duel").unwrap().rules()).unwrap());
    let (bare, full) = (game.start().diagram(), game.0.start().diagram());
    assert_eq!((bare.width, bare.height, bare.side_to_move), (full.width, full.height, full.side_to_move));
    let letters = |cells: &[jewel_engine::diagram::Cell]| {
        cells.iter().map(|cell| cell.piece.as_ref().map(|p| (p.side, p.letter))).collect::<Vec<_>>()
    };
    assert_eq!(letters(&bare.cells), letters(&full.cells));
}
