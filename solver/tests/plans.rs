//! Plans of classes that nobody could build: bounded below, in little memory and time.

use jewel_engine::games;
use jewel_engine::variant::Rules;
use jewel_solver::tablebase::build::{BuildError, Options, build};
use jewel_solver::tablebase::{Plan, PlanError, PlannedClass, Scope};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

/// A king and four pawns on each side, which may become anything.
fn ten_pieces() -> Rules {
    let pawn = "mfWcfF\"\npromotion = { zone = { w = [\"rank 8\"], b = [\"rank 1\"] }, to = \"QRBN\" }\n";
    let mut text = "id = \"ten\"\nname = \"Ten\"\n[board]\nsize = \"8x8\"\n\
        start = \"4k3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 1\"\n"
        .to_string();
    for (letter, moves) in [
        ("K", "K\"\nroyal = true\n"),
        ("Q", "Q\"\n"),
        ("R", "R\"\n"),
        ("B", "B\"\n"),
        ("N", "N\"\n"),
        ("P", pawn),
    ] {
        text += &format!("[[piece]]\nletter = \"{letter}\"\nmoves = \"{moves}");
    }
    Rules::parse(&text).unwrap_or_else(|e| panic!("{text}\n{e}"))
}

#[test]
fn what_is_not_laid_out_is_bounded_below() {
    for (id, pieces) in [("ambush", 5), ("diamond-qi", 3), ("diamond-chess", 3)] {
        let rules = games::find(id).unwrap().rules();
        let scope = Scope::MaxPieces(pieces);
        let exact = Plan::new(rules, &scope).unwrap();
        let whole = Plan::estimate(rules, &scope, 1 << 30, &|| true).unwrap();
        let none = Plan::estimate(rules, &scope, 1 << 30, &|| false).unwrap();
        assert!(exact.is_exact() && whole.is_exact() && !none.is_exact());
        let same = |a: &PlannedClass, b: &PlannedClass| {
            (&a.name, a.placements, a.cells, a.memory) == (&b.name, b.placements, b.cells, b.memory)
        };
        assert!(exact.classes.iter().zip(&whole.classes).all(|(a, b)| same(a, b)));
        for (a, b) in exact.classes.iter().zip(&none.classes) {
            assert_eq!((&a.name, a.placements), (&b.name, b.placements));
            assert!(!b.exact && b.cells <= a.cells && b.memory <= a.memory, "{a:?} {b:?}");
            assert!(8 * b.cells >= a.cells, "{a:?} {b:?}");
        }
    }
}

#[test]
fn ten_pieces_are_planned_in_bounds_and_not_built() {
    let rules = ten_pieces();
    let asked = AtomicU32::new(0);
    // As much as a test may take: the larger classes remain.
    let goes_on = || asked.fetch_add(1, Relaxed) < 400;
    let plan = Plan::estimate(&rules, &Scope::Start, 100 << 20, &goes_on).unwrap();
    let large = plan.classes.iter().filter(|class| !class.exact).count();
    assert!(plan.classes.len() > 5_000 && large > 1_000 && large < plan.classes.len(), "{large}");
    let class = |name: &str| plan.classes.iter().find(|class| class.name == name).unwrap();
    assert!(class("KQvK").exact && !class("KQRBNvKQRBN").exact);
    // Ten pieces on 64 squares, with eight symmetries and an exchange of sides: almost 2 to the 56th.
    assert!(class("KQRBNvKQRBN").cells > 1 << 55 && plan.cells() > 1 << 55);
    let folder = std::env::temp_dir().join(format!("jewel-plans-{}", std::process::id()));
    let built = build(&plan, &folder, &Options::default(), &AtomicBool::new(false), &|_| {});
    assert!(matches!(built, Err(BuildError::TooLarge(_))), "{built:?}");
    assert!(!folder.exists());
    // A plan to build is refused at once.
    assert!(matches!(Plan::new(&rules, &Scope::Start), Err(PlanError::TooLarge(_))));
}
