//! Sets of squares as numbers: the combinatorial number system.

use jewel_engine::bits::{deposit, extract};

/// `C(n, k)` by `[k][n]`, for `n` up to 64; the largest, `C(64, 32)`, fits 64 bits.
static BINOMIALS: [[u64; 65]; 65] = {
    let mut table = [[0u64; 65]; 65];
    let mut n = 0;
    while n <= 64 {
        table[0][n] = 1;
        let mut k = 1;
        while k <= n {
            table[k][n] = table[k - 1][n - 1] + table[k][n - 1];
            k += 1;
        }
        n += 1;
    }
    table
};

/// The number of sets of `k` out of `n` squares (both at most 64); 0 if `k > n`.
#[inline]
pub fn binomial(n: u32, k: u32) -> u64 {
    BINOMIALS[k as usize][n as usize]
}

/// The colexicographic rank of `set` among the sets of its size within `free`; `set` must be within `free`.
#[inline]
pub fn rank(set: u64, free: u64) -> u64 {
    if set & set.wrapping_sub(1) == 0 {
        return if set == 0 { 0 } else { u64::from((free & (set - 1)).count_ones()) };
    }
    let (mut rest, mut rank, mut i) = (extract(set, free), 0, 0);
    while rest != 0 {
        i += 1;
        rank += BINOMIALS[i][rest.trailing_zeros() as usize];
        rest &= rest - 1;
    }
    rank
}

/// All sets of `size` squares within `free`, in the order of [`rank`].
pub fn sets(free: u64, size: u32) -> Vec<u64> {
    let squares = free.count_ones();
    if size > squares {
        return vec![];
    }
    let mut list = Vec::with_capacity(binomial(squares, size) as usize);
    let mut set = !(!0u64).unbounded_shl(size);
    let last = set << (squares - size).min(63);
    loop {
        list.push(deposit(set, free));
        if set == last || set == 0 {
            return list;
        }
        // Gosper: the next larger number with as many bits is the next set in colexicographic order.
        let low = set & set.wrapping_neg();
        let carried = set + low;
        set = carried | (((set ^ carried) >> 2) / low);
    }
}

/// The set of `size` squares within `free` that has a rank: undoes [`rank`]. `None` if there are no more than `rank` sets.
pub fn unrank(mut rank: u64, size: u32, free: u64) -> Option<u64> {
    let squares = free.count_ones();
    if size > squares || rank >= binomial(squares, size) {
        return None;
    }
    let (mut set, mut top) = (0, squares);
    for k in (1..=size).rev() {
        // The largest square such that no more than `rank` sets are below it.
        while binomial(top - 1, k) > rank {
            top -= 1;
        }
        top -= 1;
        rank -= binomial(top, k);
        set |= nth_square(free, top);
    }
    Some(set)
}

/// The square number `n` of a set, counted from 0.
fn nth_square(mut set: u64, n: u32) -> u64 {
    for _ in 0..n {
        set &= set - 1;
    }
    set & set.wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_a_bijection_in_colex_order() {
        for (free, size) in
            [(0b1011_0110_1101u64, 3), (!0 >> 39, 2), (0xff00_0000_0000_00ff, 4), (7, 0), (1 << 63, 1)]
        {
            let total = binomial(free.count_ones(), size);
            let mut last = None;
            let all = sets(free, size);
            assert_eq!(all.len() as u64, total);
            for n in 0..total {
                let set = unrank(n, size, free).unwrap();
                assert_eq!((set & !free, set.count_ones()), (0, size));
                assert_eq!((rank(set, free), all[n as usize]), (n, set));
                // Colexicographic order is the order of the words.
                assert!(last.is_none_or(|l| l < set));
                last = Some(set);
            }
            assert_eq!(unrank(total, size, free), None);
        }
        assert_eq!(unrank(0, 3, 0b11), None);
        assert_eq!(sets(0b11, 3), []);
        assert_eq!(sets(!0, 64), [!0]);
        assert_eq!(binomial(64, 32), 1_832_624_140_942_590_534);
    }
}
