//! Games against Fairy-Stockfish, where it is: `FAIRY_STOCKFISH=/path/to/stockfish cargo test -p jewel-players
//! peers:: -- --ignored`. Both programs have to agree on every move of every game.

use crate::common::begun;
use jewel_players::catalogue::AnyGame;
use jewel_players::player::{Budget, Player, Turn};
use jewel_players::spec::PlayerSpec;
use jewel_search::control::Stop;

const VARIANTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../benches/peers.ini");

fn player(text: &str, game: AnyGame) -> Box<dyn Player> {
    text.parse::<PlayerSpec>().unwrap().build(&game).unwrap()
}

#[test]
#[ignore = "needs Fairy-Stockfish, named by FAIRY_STOCKFISH"]
fn fairy_stockfish_plays_every_game_of_peers_ini() {
    let program = std::env::var("FAIRY_STOCKFISH").expect("FAIRY_STOCKFISH names the program");
    let file = std::fs::read_to_string(VARIANTS).unwrap();
    let names = file.lines().filter_map(|line| line.strip_prefix('[')?.strip_suffix(']')?.split(':').next());
    for name in names {
        let game = AnyGame::resolve(name).unwrap();
        let peer = format!("name=fsf,cmd='{program}',variants={VARIANTS},hash=16,nodes=2000");
        let mut spoke = 0;
        for (seed, opponent) in ["random", "ab,nodes=2000", "greedy"].iter().enumerate() {
            let mut players = [player(&peer, game), player(opponent, game)];
            let mut line = begun(game, seed as u64);
            for player in &mut players {
                player.new_game(line.as_ref(), seed as u64).unwrap_or_else(|e| panic!("{name}: {e}"));
            }
            while line.ending().is_none() && line.plies() < 200 {
                let asked = (line.plies() + seed) % 2;
                let turn = Turn { line: line.as_ref(), budget: &Budget::default() };
                let choice = players[asked].choose(&turn, &Stop::new());
                let choice = choice.unwrap_or_else(|e| panic!("{name} against {opponent}: {e}"));
                spoke += usize::from(asked == 0 && choice.thought.is_some());
                choice.play(line.as_mut(), &mut jewel_engine::random::Random::new(1)).unwrap();
            }
            println!("{name} against {opponent}: {} plies, {:?}", line.plies(), line.ending());
        }
        assert!(spoke > 0, "{name}: not a word about any position");
    }
}
