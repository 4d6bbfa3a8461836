//! Which known name a misspelt one may mean.

/// The known name nearest to what was typed, if one is near enough to be meant.
pub fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let distance = |id: &str| edit_distance(typed, id);
    let best = known.into_iter().min_by_key(|id| distance(id))?;
    (distance(best) <= 2 + best.len() / 4).then_some(best)
}

/// Insertions, deletions and replacements that turn one word into another; of the first, 100 letters count.
pub fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().take(100).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_the_name() {
        let ids = || ["duel", "ambush", "diamond-qi", "diamond-chess", "star-lords"].into_iter();
        assert_eq!(nearest("ambsh", ids()), Some("ambush"));
        assert_eq!(nearest("diamondchess", ids()), Some("diamond-chess"));
        assert_eq!(nearest("go", ids()), None);
        assert_eq!(nearest("", ids()), None);
    }
}
