//! Sends messages of all lengths between the ranks of an MPI job, many at a time, and checks that each arrives whole and
//! in its order:
//!
//!     mpirun -np 3 --oversubscribe target/debug/examples/exchange

use jewel_engine::zobrist::splitmix64;
use jewel_mpi::Mpi;
use jewel_solver::tablebase::ranks::Exchange;
use std::time::{Duration, Instant};

/// Messages from each rank to each other rank.
const MESSAGES: u64 = 6_000;
/// A message that does not come within this time never will.
const PATIENCE: Duration = Duration::from_secs(60);

/// A number that only depends on `n`.
fn random(n: u64) -> u64 {
    splitmix64(n).1
}

/// Message number `n` from one rank to another: mostly short, and up to a megabyte and a half.
fn message(from: usize, to: usize, n: u64) -> Vec<u8> {
    let seed = random(n ^ (from as u64) << 40 ^ (to as u64) << 50);
    let length =
        1 + (seed >> 32) % (1 << (1 + seed % 20)) + if seed.is_multiple_of(97) { 1 << 20 } else { 0 };
    (0..length).map(|at| (seed.wrapping_add(at) >> (at % 5)) as u8).collect()
}

fn main() {
    let mut universe = mpi::initialize().expect("MPI starts");
    jewel_mpi::run(&mut universe, exchange_all);
}

fn exchange_all(exchange: &mut Mpi) {
    let (me, ranks) = (exchange.rank(), exchange.ranks());
    let others: Vec<_> = (0..ranks).filter(|&rank| rank != me).collect();
    let mut sent = vec![0; ranks];
    let mut received = vec![0; ranks];
    let mut last = Instant::now();
    while others.iter().any(|&rank| sent[rank] < MESSAGES || received[rank] < MESSAGES) {
        // A burst to each, of a length that changes, so that messages wait on both sides.
        for &to in &others {
            for _ in 0..=random(sent[to] + me as u64) % 40 {
                if sent[to] < MESSAGES {
                    exchange.send(to, &message(me, to, sent[to])).expect("MPI sends");
                    sent[to] += 1;
                }
            }
        }
        let all_sent = others.iter().all(|&rank| sent[rank] == MESSAGES);
        let patience = if all_sent { Duration::from_millis(10) } else { Duration::ZERO };
        while let Some((from, bytes)) = exchange.receive(patience).expect("MPI receives") {
            assert!(
                bytes == message(from, me, received[from]),
                "message {} of rank {from} differs",
                received[from]
            );
            received[from] += 1;
            last = Instant::now();
        }
        assert!(last.elapsed() < PATIENCE, "rank {me} has {received:?} messages and waits for more");
    }
}
