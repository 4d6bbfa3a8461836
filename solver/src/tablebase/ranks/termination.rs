//! The end of a computation that is spread over ranks: Mattern's four counter method (F. Mattern, *Algorithms for distributed
//! termination detection*, Distributed Computing 2, 1987).
//!
//! A rank that has nothing to do is passive, and only a message wakes it. Every rank counts the messages that it has sent and
//! received. Rank 0 asks all of them for their counters, wave after wave, and each answers once it is passive. If all messages
//! that were sent by the second of two waves had been received by the first, nothing was under way between them: between the
//! answers of a rank no message can have reached it, so that it was passive all the time, and so was every other one.

/// The messages that a rank has sent and received, or all ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Counters {
    pub(super) sent: u64,
    pub(super) received: u64,
}

/// What rank 0 knows.
#[derive(Clone, Debug)]
pub(super) struct Detector {
    ranks: usize,
    wave: u32,
    /// Answers of this wave, and their sum.
    answers: usize,
    sum: Counters,
    /// Messages received by the wave before; `None` before the second.
    received_before: Option<u64>,
}

impl Detector {
    /// Nothing has been asked yet.
    pub(super) fn new(ranks: usize) -> Detector {
        Detector { ranks, wave: 0, answers: 0, sum: Counters::default(), received_before: None }
    }

    /// Whether no wave has begun yet.
    pub(super) fn is_idle(&self) -> bool {
        self.wave == 0
    }

    /// Begins the next wave, once all have answered the one before: its number, counted from 1.
    pub(super) fn begin(&mut self) -> u32 {
        self.wave += 1;
        self.wave
    }

    /// Takes the answer of a rank to this wave. Once all have answered: whether all is over. If not, another wave is to be begun.
    pub(super) fn answer(&mut self, counters: Counters) -> Option<bool> {
        self.answers += 1;
        self.sum.sent += counters.sent;
        self.sum.received += counters.received;
        (self.answers == self.ranks).then(|| {
            let over = self.received_before == Some(self.sum.sent);
            self.received_before = Some(self.sum.received);
            (self.answers, self.sum) = (0, Counters::default());
            over
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jewel_engine::zobrist::splitmix64;
    use std::collections::VecDeque;

    /// Ranks that pass work on, as chance has it: messages of any age may arrive next, but for probes and answers, which
    /// overtake them too.
    fn simulate(seed: u64, ranks: usize) -> u32 {
        let mut state = seed;
        let mut random = |n: usize| {
            let (next, word) = splitmix64(state);
            state = next;
            (word % n as u64) as usize
        };
        let mut work = vec![3usize; ranks];
        let mut counters = vec![Counters::default(); ranks];
        let mut under_way: Vec<usize> = vec![];
        let mut asked = vec![true; ranks];
        let mut answers: VecDeque<(u32, Counters)> = VecDeque::new();
        let mut detector = Detector::new(ranks);
        let mut wave = detector.begin();
        let mut left = 400;
        for _ in 0..1_000_000 {
            match random(4) {
                // A rank works, and gives others work as long as there is some left.
                0 => {
                    let rank = random(ranks);
                    if work[rank] > 0 {
                        work[rank] -= 1;
                        for _ in 0..random(3).min(left) {
                            left -= 1;
                            counters[rank].sent += 1;
                            under_way.push(random(ranks));
                        }
                    }
                }
                1 if !under_way.is_empty() => {
                    let rank = under_way.swap_remove(random(under_way.len()));
                    counters[rank].received += 1;
                    work[rank] += random(3);
                }
                2 => {
                    let rank = random(ranks);
                    if asked[rank] && work[rank] == 0 {
                        asked[rank] = false;
                        answers.push_back((wave, counters[rank]));
                    }
                }
                _ => {
                    if let Some((asked_by, counters)) = answers.pop_front() {
                        assert_eq!(asked_by, wave);
                        match detector.answer(counters) {
                            Some(true) => {
                                assert!(under_way.is_empty(), "messages are under way");
                                assert!(work.iter().all(|&w| w == 0), "a rank is at work");
                                return wave;
                            }
                            Some(false) => {
                                wave = detector.begin();
                                asked.fill(true);
                            }
                            None => {}
                        }
                    }
                }
            }
        }
        panic!("the end was never found");
    }

    #[test]
    fn the_end_is_found_and_never_too_early() {
        for seed in 0..2000 {
            for ranks in [1, 2, 3, 7] {
                let waves = simulate(seed * 8 + ranks as u64, ranks);
                assert!(waves >= 2, "one wave proves nothing");
            }
        }
    }

    #[test]
    fn equal_counters_of_one_wave_are_not_enough() {
        // Rank 0 answered before rank 1 sent it a message, which it has received since: the sums agree by chance.
        let mut detector = Detector::new(2);
        assert_eq!(detector.answer(Counters { sent: 1, received: 0 }), None);
        assert_eq!(detector.answer(Counters { sent: 0, received: 1 }), Some(false));
        assert_eq!(detector.answer(Counters { sent: 2, received: 0 }), None);
        assert_eq!(detector.answer(Counters { sent: 0, received: 2 }), Some(false));
        assert_eq!(detector.answer(Counters { sent: 2, received: 0 }), None);
        assert_eq!(detector.answer(Counters { sent: 0, received: 2 }), Some(true));
    }
}
