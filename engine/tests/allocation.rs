//! Moves, counts, play, results and keys never allocate: a counting allocator watches all seven games.
#![allow(unsafe_code, reason = "an allocator is an unsafe trait")]

use jewel_engine::ability::{Game, Packed, Symmetric};
use jewel_engine::crystal::CrystalGame;
use jewel_engine::games::GAMES;
use jewel_engine::kings_mate::{Active, Basic, KingsMateGame};
use jewel_engine::position::Position;
use jewel_engine::variant::Rules;
use jewel_engine::with_leanest_game;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;
use std::ops::ControlFlow::{Break, Continue};

thread_local! {
    /// Allocations of this thread; a constant start needs no allocation of its own.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call is handed on unchanged to the system's allocator, whose contract is the same; counting
// touches a thread-local cell and allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = ALLOCATIONS.try_with(|n| n.set(n.get() + 1));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `System.alloc` with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(work: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.get();
    work();
    ALLOCATIONS.get() - before
}

/// Plays one line of every first move, its replies and so on, and asks everything of each position.
fn walk<P: Position>(position: &P, depth: u32) -> u64 {
    let mut visited = 1;
    black_box((position.outcome(), position.count_moves(), position.zobrist_hash(), position.side_to_move()));
    let _: std::ops::ControlFlow<()> = position.moves(|mv| {
        if depth > 0 {
            let mut next = position.clone();
            next.play(mv);
            visited += walk(&next, depth - 1);
        }
        if visited > 200_000 { Break(()) } else { Continue(()) }
    });
    visited
}

struct Walk<'a>(&'a Rules);

impl Walk<'_> {
    fn visit<G>(self, game: G)
    where
        G: Game,
        G::Position: Packed + Symmetric,
    {
        let start = game.start();
        let mut visited = 0;
        assert_eq!(allocations(|| visited = walk(&start, 4)), 0, "{}", self.0.id);
        assert!(visited >= 200, "{} visited {visited}", self.0.id);
    }
}

#[test]
fn nothing_that_a_search_does_allocates() {
    for game in &GAMES {
        with_leanest_game!(game.rules(), game => Walk(game.rules()).visit(game));
    }
}

#[test]
fn the_games_without_a_file_do_not_allocate_either() {
    fn check<G: Game>(game: &G) {
        let start = game.start();
        let mut visited = 0;
        assert_eq!(allocations(|| visited = walk(&start, 4)), 0, "{}", game.id());
        assert!(visited >= 200, "{} visited {visited}", game.id());
    }
    check(&KingsMateGame::<Basic>::new());
    check(&KingsMateGame::<Active>::new());
    check(&CrystalGame::new());
}

/// Castling, promotion, en passant and the ends of games, which are rare from the starts.
#[test]
fn rare_moves_do_not_allocate_either() {
    for (id, fen) in [
        ("diamond-quest", "r2k2r/3p3/1b3b1/7/1B3B1/3P3/R2K2R w KQkq - 0 1"),
        ("diamond-quest", "k6/P6/1K5/7/7/6p/5B1 w - - 0 1"),
        ("diamond-chess", "r2k2r/p1p1p1p/7/1P1P1P1/7/p1p1p1p/R2K2R w KQkq - 0 1"),
        ("diamond-chess", "3k3/ppppppp/7/PpPpPpP/7/PPPPPPP/3K3 b - - 0 1"),
        ("ambush", "5/1q1q1/5/1N3/5 b - - 0 1"),
        ("crystal-of-doom", "3r3/2b1b2/7/r2C2R/7/1B3N1/3c3 w - - 4 20"),
    ] {
        let rules = jewel_engine::games::find(id).unwrap().rules();
        struct From<'a>(&'a str);
        impl From<'_> {
            fn visit<G>(self, game: G) -> u64
            where
                G: Game,
                G::Position: Packed + Symmetric,
            {
                let start = game.parse_position(self.0).unwrap();
                allocations(|| {
                    walk(&start, 3);
                })
            }
        }
        assert_eq!(with_leanest_game!(rules, game => From(fen).visit(game)), 0, "{id} {fen}");
    }
}

/// Turns of several plies, packs and attacks, and random play.
#[test]
fn the_world_tree_does_not_allocate_either() {
    use jewel_engine::playout::{Playout, Step};
    use jewel_engine::random::Random;
    use jewel_engine::world_tree::WorldTreeGame;
    for text in [
        "T7/8/8/8/8/8/8/7t w p - 0",
        "T7/8/1S1(cz)4/2RK4/8/4(oZ)3/8/7t w m - 0",
        "T7/8/2CCC3/2g5/8/3K4/2h5/7t w m - 0",
        "Tc6/h7/8/8/8/8/8/7t w m - 3",
    ] {
        let start = WorldTreeGame::new().parse_position(text).unwrap();
        let (mut random, mut position) = (Random::new(1), start);
        let count = allocations(|| {
            walk(&start, 2);
            for _ in 0..300 {
                let Step::Move(mv) = position.keen_step(&mut random) else { break };
                position.play(mv);
            }
        });
        assert_eq!(count, 0, "{text}");
    }
}

/// Contests, what a player sees, worlds drawn from it, and random play.
#[test]
fn crown_jewels_does_not_allocate_either() {
    use jewel_engine::crown_jewels::CrownJewelsGame;
    use jewel_engine::hidden::{Hidden, InformationState};
    use jewel_engine::playout::{Playout, Step};
    use jewel_engine::random::Random;
    let (small, full) =
        (CrownJewelsGame::with_parameters("tiles=3,files=3,ranks=4").unwrap(), CrownJewelsGame::new());
    let (start, full) = (small.start(), full.start());
    let mut random = Random::new(1);
    let mut visited = 0;
    let count = allocations(|| {
        visited = walk(&start, 4);
        let mut world = full.view(full.side_to_move()).world(&mut random);
        while let Step::Move(mv) = world.keen_step(&mut random) {
            black_box(world.observation(mv, world.side_to_move()));
            world.play(mv);
        }
    });
    assert_eq!(count, 0);
    assert!(visited >= 200, "visited {visited}");
}

/// The counter counts: the list of moves is a vector.
#[test]
fn the_counter_counts() {
    let rules = GAMES[0].rules();
    struct List;
    impl List {
        fn visit<G>(self, game: G) -> u64
        where
            G: Game,
            G::Position: Packed + Symmetric,
        {
            let start = game.start();
            allocations(|| {
                black_box(jewel_engine::position::list_moves(&start));
            })
        }
    }
    assert!(with_leanest_game!(rules, game => List.visit(game)) > 0);
}
