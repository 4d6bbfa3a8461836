use jewel_engine::{ability::*, chesslike::*, perft::*};
struct V(u32, Option<String>);
impl GameVisitor for V {
    type Output = ();
    fn visit<G>(self, g: G)
    where
        G: Game,
        G::Position: Packed + Symmetric,
    {
        let p = match &self.1 {
            Some(f) => g.parse_position(f).unwrap(),
            None => g.start(),
        };
        for d in 1..=self.0 {
            let t = std::time::Instant::now();
            let n = perft(&p, d);
            let s = t.elapsed().as_secs_f64();
            println!("{} {d} {n} {s:.3} {:.1}M/s", g.id(), n as f64 / s / 1e6);
        }
    }
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    with_game(jewel_engine::games::find(&a[1]).unwrap().rules(), V(a[2].parse().unwrap(), a.get(3).cloned()));
}
