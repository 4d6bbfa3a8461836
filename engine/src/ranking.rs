//! Best first, for lists of anything: sorting is compiled once, not for every game's moves.

/// Sorts a list by falling keys; what has equal keys stays in its order.
///
/// ```
/// let mut moves = ["quiet", "check", "capture", "push"];
/// jewel_engine::ranking::best_first(&mut moves, |text| if text.starts_with('c') { 1 } else { 0 });
/// assert_eq!(moves, ["check", "capture", "quiet", "push"]);
/// ```
pub fn best_first<T>(list: &mut [T], key: impl Fn(&T) -> i64) {
    let order = falling(&list.iter().map(key).collect::<Vec<i64>>());
    for to in 0..list.len() {
        let mut from = order[to];
        // What stood there has been moved on already, perhaps more than once.
        while from < to {
            from = order[from];
        }
        list.swap(to, from);
    }
}

/// The places of keys, the greatest first; equal ones in their order.
fn falling(keys: &[i64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by_key(|&place| std::cmp::Reverse(keys[place]));
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn a_list_is_sorted_as_a_stable_sort_would() {
        let mut random = Random::new(1);
        for length in 0..40 {
            let list: Vec<(i64, u32)> = (0..length).map(|n| (i64::from(random.below(9)) - 4, n)).collect();
            let (mut ours, mut theirs) = (list.clone(), list);
            best_first(&mut ours, |&(key, _)| key);
            theirs.sort_by_key(|&(key, _)| std::cmp::Reverse(key));
            assert_eq!(ours, theirs);
        }
    }
}
