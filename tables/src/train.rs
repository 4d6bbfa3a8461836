//! Learns a model from a sample of a table. All arithmetic is in integers, so that the same values give the same file on every
//! machine.

use crate::model::{MAX_FEATURES, NodeData, TreeShape};
use crate::rans::TOTAL;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A context with the symbol that was found in it, packed so that order by number is order by feature 1,
/// then 2, ..., then symbol.
#[inline]
pub(crate) fn observation(features: &[u8], symbol: u16) -> u64 {
    let mut key = 0;
    for i in 0..MAX_FEATURES {
        key = key << 6 | u64::from(features.get(i).copied().unwrap_or(0));
    }
    key << 16 | u64::from(symbol)
}

pub(crate) fn feature(key: u64, level: usize) -> u8 {
    (key >> (16 + 6 * (MAX_FEATURES - 1 - level)) & 63) as u8
}

/// The observations in ascending order, and how often each was made.
pub(crate) fn count(mut observations: Vec<u64>) -> Vec<(u64, u64)> {
    observations.sort_unstable();
    observations.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u64)).collect()
}

/// The sum of several counts.
pub(crate) fn merge(parts: Vec<Vec<(u64, u64)>>) -> Vec<(u64, u64)> {
    let mut all: Vec<(u64, u64)> = parts.into_iter().flatten().collect();
    all.sort_unstable();
    all.chunk_by(|a, b| a.0 == b.0).map(|run| (run[0].0, run.iter().map(|r| r.1).sum())).collect()
}

/// Units of code length in a bit.
const BIT: u64 = 1024;

/// Code length of a symbol by its frequency: `BIT * (14 - log2(frequency))`, by repeated squaring.
static LENGTH: LazyLock<Vec<u64>> = LazyLock::new(|| {
    (0..=u64::from(TOTAL))
        .map(|freq| {
            if freq == 0 {
                return 64 * BIT;
            }
            let whole = u64::from(freq.ilog2());
            let mut mantissa = freq << (31 - whole);
            let mut log = whole;
            for _ in 0..BIT.ilog2() {
                mantissa = (mantissa * mantissa) >> 31;
                log <<= 1;
                if mantissa >> 32 != 0 {
                    mantissa >>= 1;
                    log |= 1;
                }
            }
            u64::from(TOTAL.ilog2()) * BIT - log
        })
        .collect()
});

/// Makes the tree of the counts. Each count stands for `scale` times as many symbols in the file; a node is kept if it saves
/// more in the file than it takes. Returns the tree, and the size of the symbols in the file in units of [`BIT`].
pub(crate) fn train(counts: &[(u64, u64)], shape: TreeShape, scale: u64) -> (NodeData, u64) {
    if counts.is_empty() {
        return (NodeData::default(), 0);
    }
    let totals = tally(counts);
    let entries = frequencies(&totals, 0);
    let lengths = entries.iter().map(|&(s, f)| (s, LENGTH[usize::from(f)])).collect();
    let mut root = NodeData { entries, children: vec![] };
    let size = grow(&mut root, counts, shape, scale, 0, &lengths);
    (root, size)
}

/// The total of each symbol.
fn tally(counts: &[(u64, u64)]) -> Vec<(u16, u64)> {
    let mut totals = BTreeMap::new();
    for &(key, n) in counts {
        *totals.entry(key as u16).or_insert(0) += n;
    }
    totals.into_iter().collect()
}

/// Frequencies with a sum below `TOTAL`, most frequent first. `unlisted` other symbols were seen, which the escape stands for.
fn frequencies(totals: &[(u16, u64)], unlisted: u64) -> Vec<(u16, u16)> {
    let listed: u64 = totals.iter().map(|t| t.1).sum();
    if listed == 0 {
        return vec![];
    }
    let all = listed + unlisted;
    // The fewer symbols were seen, the likelier is another one.
    let unseen = (u64::from(TOTAL) / (2 * all)).min(u64::from(TOTAL) / 64);
    let escape = 1 + unseen + unlisted * u64::from(TOTAL) * 3 / 4 / all;
    let available = u64::from(TOTAL) - escape;
    let mut list: Vec<(u16, u64)> =
        totals.iter().map(|&(s, n)| (s, (n * available / listed).max(1))).collect();
    list.sort_unstable_by_key(|&(s, f)| (Reverse(f), s));
    // The most frequent symbols absorb the rounding.
    let mut sum: u64 = list.iter().map(|e| e.1).sum();
    list[0].1 += available.saturating_sub(sum);
    sum = sum.max(available);
    for entry in &mut list {
        let less = (sum - available).min(entry.1 - 1);
        entry.1 -= less;
        sum -= less;
    }
    list.sort_unstable_by_key(|&(s, f)| (Reverse(f), s));
    list.into_iter().map(|(s, f)| (s, f as u16)).collect()
}

/// Code lengths of symbols in a node, its escapes followed up to the root.
type Lengths = BTreeMap<u16, u64>;

fn total_length(totals: &[(u16, u64)], lengths: &Lengths, scale: u64) -> u64 {
    totals.iter().map(|(s, n)| n * scale * lengths.get(s).copied().unwrap_or(64 * BIT)).sum()
}

/// Adds the children that save space to a node; returns the size of all symbols below it and of the children. `counts` is what
/// was seen in the node, `lengths` the code lengths of symbols in it.
fn grow(
    node: &mut NodeData,
    counts: &[(u64, u64)],
    shape: TreeShape,
    scale: u64,
    level: usize,
    lengths: &Lengths,
) -> u64 {
    if level == shape.features.len() {
        return total_length(&tally(counts), lengths, scale);
    }
    let mut cost = 0;
    for run in counts.chunk_by(|a, b| feature(a.0, level) == feature(b.0, level)) {
        let totals = tally(run);
        let without = total_length(&totals, lengths, scale);
        // A symbol that was seen once may be chance: it is left to the escape.
        let listed: Vec<(u16, u64)> = totals.iter().copied().filter(|t| t.1 > 1).collect();
        let unlisted = totals.len() - listed.len();
        let mut child = NodeData { entries: frequencies(&listed, unlisted as u64), children: vec![] };
        let used: u64 = child.entries.iter().map(|e| u64::from(e.1)).sum();
        let escape = LENGTH[(u64::from(TOTAL) - used) as usize];
        let mut own: Lengths = totals.iter().map(|(s, _)| (*s, escape + lengths[s])).collect();
        own.extend(child.entries.iter().map(|&(s, f)| (s, LENGTH[usize::from(f)])));
        // Three bytes for a symbol and its frequency, and three for the node; and about one and a half bits for each number,
        // by which a model seems better on the sample that it was fitted to.
        let size = BIT * (24 + child.entries.len() as u64 * (24 + scale * 3 / 2));
        let with = size + grow(&mut child, run, shape, scale, level + 1, &own);
        if with < without && !child.entries.is_empty() {
            cost += with;
            node.children.push((feature(run[0].0, level), child));
        } else {
            cost += without;
        }
    }
    cost
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{DISTANCE, WDL};

    #[test]
    fn code_lengths_are_logarithms() {
        for freq in [1u32, 2, 3, 100, 5000, 16383, 16384] {
            let exact = (14.0 - f64::from(freq).log2()) * BIT as f64;
            assert!((LENGTH[freq as usize] as f64 - exact).abs() <= 1.0, "{freq}");
        }
    }

    #[test]
    fn contexts_that_tell_nothing_are_left_out() {
        // The first feature decides the symbol, the second says nothing.
        let mut seen = vec![];
        for n in 0..8000u32 {
            let side = (n % 2) as u8;
            let noise = (n / 2 % 3) as u8;
            seen.push(observation(&[side, noise, 0, 0, 0, 0], if n % 50 < 48 { u16::from(side) } else { 2 }));
        }
        let counts = merge(vec![count(seen[..3000].to_vec()), count(seen[3000..].to_vec())]);
        assert_eq!(counts, count(seen));
        let (tree, _) = train(&counts, WDL[0], 1);
        assert_eq!(tree.children.len(), 2);
        assert!(tree.children.iter().all(|(_, child)| child.children.is_empty()));
        assert_eq!(tree.children[1].1.entries[0].0, 1);
    }

    #[test]
    fn frequencies_leave_room_for_the_escape() {
        let wide: Vec<(u16, u64)> = (0..4096).map(|s| (s, if s == 7 { 1_000_000 } else { 1 })).collect();
        for totals in [wide, vec![(3, 1)], vec![(0, 1 << 40), (1, 1)], vec![(0, 5), (1, 5), (2, 5)]] {
            let freqs = frequencies(&totals, 9);
            assert_eq!(freqs.len(), totals.len());
            assert!(freqs.iter().all(|f| f.1 > 0));
            assert!(freqs.iter().map(|f| u32::from(f.1)).sum::<u32>() < TOTAL);
        }
        assert_eq!(train(&[], DISTANCE, 1), (NodeData::default(), 0));
    }
}
