//! Vectors against plain loops.

use super::*;

struct Rng(u64);
impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// Indices below `most`, some of which select nothing: any, or as moves have them, which bring neighbours to neighbours.
fn indices<const N: usize>(rng: &mut Rng, most: usize) -> Row<N> {
    let [shift, gaps, way] = [rng.next() % 41, rng.next(), rng.next() % 4].map(|x| x as usize);
    let mut skipped = 0;
    std::array::from_fn(|i| {
        skipped += gaps >> i & 1;
        let at = match way {
            0 => rng.next() as usize % (most + 8),
            1 => (i + shift).wrapping_sub(20),
            2 => (i + skipped / 8 + shift).wrapping_sub(20),
            _ => (i + skipped + shift).wrapping_sub(20),
        };
        if at < most && (way == 0 || !rng.next().is_multiple_of(8)) {
            at as u8
        } else {
            KILL + (rng.next() % 64) as u8
        }
    })
}

#[test]
fn sets_and_ranks_agree() {
    let mut rng = Rng(7);
    for _ in 0..1000 {
        let set = rng.next() & rng.next() & 0xffff_ffff;
        let (r, m) = (ranks::<32>(Bitboard(set)), members::<32>(Bitboard(set)));
        for s in 0..32 {
            if set >> s & 1 != 0 {
                assert_eq!(m[r[s] as usize] as usize, s);
            } else {
                assert!(r[s] >= KILL);
            }
        }
        assert!(m[set.count_ones() as usize..].iter().all(|&x| x == KILL));
    }
    for _ in 0..1000 {
        let x = rng.next();
        let (a, b) = (expand::<32>(x), expand::<64>(x));
        for i in 0..64 {
            assert_eq!(b[i], 255 * (x >> i & 1) as u8);
        }
        assert_eq!(a[..], b[..32]);
    }
    let set = Bitboard::ALL;
    assert_eq!(members::<64>(set)[63], 63);
    assert_eq!(ranks::<64>(set)[63], 63);
}

#[test]
fn vector_and_plain_agree() {
    agree::<32>();
    agree::<64>();
}

/// Every version that the processor has against the plain loops, whichever one is the fastest.
#[test]
fn all_versions_agree() {
    versions_agree::<32>();
    versions_agree::<64>();
}

fn versions_agree<const N: usize>() {
    let mut rng = Rng(11);
    for _ in 0..200 {
        let src: Vec<u8> = (0..20 * N).map(|_| rng.next() as u8).collect();
        let start: Vec<u8> = (0..4 * N).map(|_| rng.next() as u8).collect();
        let idx = indices::<N>(&mut rng, N);
        let n = N as u32;
        let pairs = [(0, 5), (n, 100), (2 * n, 17), (3 * n, 60)];
        let to = [3, KILL + 5, 1, 0];
        let barred = [rng.next(), 0, rng.next() & rng.next(), rng.next()];
        let bits = rng.next();
        let table: Row<N> = std::array::from_fn(|i| src[i]);
        let matrix: [Row<N>; N] = std::array::from_fn(|_| std::array::from_fn(|_| rng.next() as u8));
        // All bytes matter as lower bounds, the lowest two most.
        let bound: Vec<u8> = (0..4 * N).map(|_| (rng.next() % 512).saturating_sub(256) as u8).collect();
        let short = 4 * N - rng.next() as usize % N;
        macro_rules! run {
            ($version:ident) => {{
                let mut outs = [(); 6].map(|()| start.clone());
                let mut turned = matrix;
                let mask = $version::expand::<N>(bits);
                $version::fold::<N>(&mut outs[0], &src, &pairs, &idx);
                $version::fold_single::<N>(&mut outs[1], &src, &to, 19, &idx);
                $version::fold_straight::<N>(&mut outs[2], &src, &pairs);
                $version::fold_barred::<N>(&mut outs[4], &src, &pairs, &idx, &barred);
                $version::fold_straight_barred::<N>(&mut outs[5], &src, &pairs, &barred);
                let changed = $version::settle(&src[..short], &bound, &mut outs[3]);
                let again = $version::settle(&src[..short], &bound, &mut outs[3]);
                $version::transpose::<N>(&mut turned);
                (mask, $version::lookup::<N>(&table, &idx), outs, changed, again, turned)
            }};
        }
        let want = run!(plain);
        assert!(want.3 && !want.4);
        #[cfg(target_arch = "x86_64")]
        {
            // SAFETY: the processor has the instructions.
            assert!(!avx2::found() || want == unsafe { run!(avx2) });
            // SAFETY: the processor has the instructions.
            assert!(!avx512::found() || want == unsafe { run!(avx512) });
        }
    }
}

fn agree<const N: usize>() {
    let mut rng = Rng(9);
    for _ in 0..200 {
        let src: Vec<u8> = (0..400).map(|_| rng.next() as u8).collect();
        // Sometimes nothing of the last quarter.
        let most = if rng.next().is_multiple_of(2) { N } else { N * 3 / 4 };
        let idx = indices::<N>(&mut rng, most);
        let n = N as u32;
        let start: Vec<u8> = (0..4 * N).map(|_| rng.next() as u8).collect();
        let pairs = [(0, 5), (n, 100), (2 * n, 17), (3 * n, 60)];
        let mut got = start.clone();
        fold::<N>(&mut got, &src, &pairs, &idx);
        let mut want = start.clone();
        for (o, s) in pairs {
            for c in 0..N {
                if idx[c] < KILL {
                    let d = &mut want[o as usize + c];
                    *d = (*d).min(src[s as usize + idx[c] as usize]);
                }
            }
        }
        assert_eq!(got, want);
        let to = [3, KILL + 5, 1, 0];
        let (mut got, mut want) = (start.clone(), start.clone());
        fold_single::<N>(&mut got, &src, &to, 19, &idx);
        fold::<N>(&mut want, &src, &[(0, 57), (2 * n, 19), (3 * n, 0)], &idx);
        assert_eq!(got, want);
        let barred = [rng.next(), 0, rng.next() & rng.next(), rng.next()];
        for (straight, none) in [(true, true), (true, false), (false, false)] {
            let (mut got, mut want) = (start.clone(), start.clone());
            match (straight, none) {
                (true, true) => fold_straight::<N>(&mut got, &src, &pairs),
                (true, false) => fold_straight_barred::<N>(&mut got, &src, &pairs, &barred),
                (false, _) => fold_barred::<N>(&mut got, &src, &pairs, &idx, &barred),
            }
            for ((o, s), barred) in pairs.into_iter().zip(barred) {
                for c in 0..N {
                    let from = if straight { c as u8 } else { idx[c] };
                    if from < KILL && (none || barred >> c & 1 == 0) {
                        let d = &mut want[o as usize + c];
                        *d = (*d).min(src[s as usize + usize::from(from)]);
                    }
                }
            }
            assert_eq!(got, want);
        }
        let table: Row<N> = std::array::from_fn(|i| src[i]);
        let got = lookup(&table, &idx);
        for c in 0..N {
            assert_eq!(got[c], if idx[c] < KILL { table[idx[c] as usize] } else { 255 });
        }
    }
    // Every value against every lower bound.
    for bound in 0..=255u8 {
        let best: Vec<u8> = (0..8 * N).map(|x| x as u8).collect();
        let mut value = vec![7; 8 * N + PAD];
        settle::<N>(&best, 8, N, &vec![bound; 10 * N], &mut value, &mut vec![]);
        for (v, b) in value.iter().zip(&best) {
            assert_eq!(*v, settled(*b, bound), "{b} {bound}");
        }
    }
    let mut t: [Row<N>; N] = std::array::from_fn(|_| std::array::from_fn(|_| rng.next() as u8));
    let u = t;
    transpose(&mut t);
    for i in 0..N {
        for j in 0..N {
            assert_eq!(t[i][j], u[j][i]);
        }
    }
}
