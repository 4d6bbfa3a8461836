//! Operations on rows of bytes: AVX2 where the build has it, plain loops with the same result elsewhere.
//!
//! All `unsafe` of the kernel is here. An index of [`KILL`] or more in a shuffle yields 255, the value that attracts nobody.

use super::floor::{DRAWN, LOST};
use super::value::{DRAW, back, loss};

/// One row: a byte a square or a byte a column. `N` is 32 (boards of at most 32 squares) or 64.
pub(crate) type Row<const N: usize> = [u8; N];

/// Indices from here on (the largest index is 63, and adding 64 does not overflow) select nothing.
pub(crate) const KILL: u8 = 0xA0;

/// Bytes that must be readable after the last cell of any matrix handed to these functions.
pub(crate) const PAD: usize = 64;

/// Eight small numbers for each byte of a mask, least significant first.
const fn by_byte(rank: bool) -> [u64; 256] {
    let mut t = [0; 256];
    let mut v = 0;
    while v < 256 {
        let (mut x, mut n, mut i) = (0u64, 0, 0);
        while i < 8 {
            let set = v >> i & 1 != 0;
            if rank {
                x |= (if set { n } else { KILL as u64 }) << (8 * i);
            } else if set {
                x |= i << (8 * n);
            }
            n += set as u64;
            i += 1;
        }
        t[v] = x;
        v += 1;
    }
    t
}
static RANKS: [u64; 256] = by_byte(true);
static MEMBERS: [u64; 256] = by_byte(false);
const ONES: u64 = 0x0101_0101_0101_0101;

/// For every square its rank in `set`; [`KILL`] or more for squares outside.
#[inline(always)]
pub(crate) fn ranks<const N: usize>(set: u64) -> Row<N> {
    let mut out = [KILL; N];
    let mut n = 0;
    for (k, o) in out.as_chunks_mut::<8>().0.iter_mut().enumerate() {
        let byte = (set >> (8 * k)) as u8;
        *o = (RANKS[byte as usize] + n * ONES).to_le_bytes();
        n += byte.count_ones() as u64;
    }
    out
}

/// The squares of `set` in order, then [`KILL`].
#[inline(always)]
pub(crate) fn members<const N: usize>(set: u64) -> Row<N> {
    let mut buf = [KILL; 72];
    let mut n = 0;
    for k in 0..N / 8 {
        let byte = (set >> (8 * k)) as u8;
        buf[n..n + 8].copy_from_slice(&(MEMBERS[byte as usize] + k as u64 * 8 * ONES).to_le_bytes());
        n += byte.count_ones() as usize;
    }
    buf[n..].fill(KILL);
    *buf.first_chunk().expect("72 is more than 64")
}

/// 255 where the bit is set, else 0.
#[inline(always)]
pub(crate) fn expand<const N: usize>(bits: u64) -> Row<N> {
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    {
        let mut out = [0; N];
        for (h, out) in out.as_chunks_mut::<32>().0.iter_mut().enumerate() {
            avx::store(out, avx::expand((bits >> (32 * h)) as u32));
        }
        out
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
    std::array::from_fn(|i| if bits >> i & 1 != 0 { 255 } else { 0 })
}

/// Where column `c` lies after one piece has gone: a square with `from` members below it joined the columns
/// ([`KILL`]: none did), and column `to` left them ([`KILL`]: none did).
#[inline(always)]
pub(crate) fn slide<const N: usize>(from: u8, to: u8) -> Row<N> {
    let mut out = [0; N];
    // A plain loop: `from_fn` is not compiled to vector instructions.
    for (i, x) in out.iter_mut().enumerate() {
        let c = i as u8;
        let y = c + (c >= from) as u8 - (c > to) as u8;
        *x = if c == to { KILL } else { y };
    }
    out
}

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
mod avx {
    use super::super::floor::DRAWN;
    use super::super::value::{DRAW, loss};
    use std::arch::x86_64::*;

    #[inline(always)]
    pub(crate) fn load(x: &[u8]) -> __m256i {
        let x: &[u8; 32] = x.first_chunk().expect("32 bytes");
        // SAFETY: avx2 is enabled for this build; the load covers exactly the array.
        unsafe { _mm256_loadu_si256(x.as_ptr().cast()) }
    }
    #[inline(always)]
    pub(crate) fn store(to: &mut [u8], v: __m256i) {
        let to: &mut [u8; 32] = to.first_chunk_mut().expect("32 bytes");
        // SAFETY: avx2 is enabled for this build; the store covers exactly the array.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), v) }
    }
    /// The same 16 bytes in both halves.
    #[inline(always)]
    fn twice(x: &[u8; 16]) -> __m256i {
        // SAFETY: avx2 is enabled for this build; the load covers exactly the array.
        unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(x.as_ptr().cast())) }
    }
    /// A shuffle prepared from indices.
    pub(crate) struct Shuffle {
        low: __m256i,
        high: __m256i,
        kill: __m256i,
    }
    impl Shuffle {
        #[inline(always)]
        pub(crate) fn of(idx: &[u8]) -> Self {
            let i = load(idx);
            // SAFETY: avx2 is enabled for this build; register operations only.
            unsafe {
                Shuffle {
                    // A byte with its top bit set selects zero.
                    low: _mm256_adds_epu8(i, _mm256_set1_epi8(0x70)),
                    high: _mm256_sub_epi8(i, _mm256_set1_epi8(16)),
                    kill: _mm256_cmpgt_epi8(_mm256_setzero_si256(), i),
                }
            }
        }
        #[inline(always)]
        pub(crate) fn apply(&self, src: &[u8]) -> __m256i {
            let src: &[u8; 32] = src.first_chunk().expect("32 bytes");
            let (a, b) = (twice(src[..16].as_array().expect("16")), twice(src[16..].as_array().expect("16")));
            // SAFETY: avx2 is enabled for this build; register operations only.
            unsafe {
                let x = _mm256_or_si256(_mm256_shuffle_epi8(a, self.low), _mm256_shuffle_epi8(b, self.high));
                _mm256_or_si256(x, self.kill)
            }
        }
    }
    /// The same for rows of 64 bytes.
    pub(crate) struct WideShuffle {
        /// For each half of the result, what to take of each quarter of the source.
        quarters: [[__m256i; 4]; 2],
        kill: [__m256i; 2],
        /// Whether anything is taken of the last quarter: on boards of up to 48 free squares nothing is.
        all: bool,
    }
    impl WideShuffle {
        #[inline(always)]
        pub(crate) fn of(idx: &[u8]) -> Self {
            let halves = [load(idx), load(&idx[32..])];
            // SAFETY: avx2 is enabled for this build; register operations only.
            unsafe {
                let quarter = |i: __m256i, q: i8| {
                    // A byte with its top bit set selects zero.
                    _mm256_adds_epu8(_mm256_sub_epi8(i, _mm256_set1_epi8(16 * q)), _mm256_set1_epi8(0x70))
                };
                let quarters = halves.map(|i| [quarter(i, 0), quarter(i, 1), quarter(i, 2), quarter(i, 3)]);
                let last = _mm256_and_si256(quarters[0][3], quarters[1][3]);
                WideShuffle {
                    quarters,
                    kill: halves.map(|i| _mm256_cmpgt_epi8(_mm256_setzero_si256(), i)),
                    all: _mm256_movemask_epi8(last) != -1,
                }
            }
        }
        #[inline(always)]
        pub(crate) fn apply(&self, src: &[u8]) -> [__m256i; 2] {
            let src: &[u8; 64] = src.first_chunk().expect("64 bytes");
            let part = |q: usize| twice(src[16 * q..][..16].as_array().expect("16"));
            let (a, b, c) = (part(0), part(1), part(2));
            // SAFETY: avx2 is enabled for this build; register operations only.
            unsafe {
                let pick = |h: usize| {
                    let q = &self.quarters[h];
                    let low = _mm256_or_si256(_mm256_shuffle_epi8(a, q[0]), _mm256_shuffle_epi8(b, q[1]));
                    _mm256_or_si256(_mm256_or_si256(low, _mm256_shuffle_epi8(c, q[2])), self.kill[h])
                };
                let mut out = [pick(0), pick(1)];
                if self.all {
                    let d = part(3);
                    for (out, q) in out.iter_mut().zip(&self.quarters) {
                        *out = _mm256_or_si256(*out, _mm256_shuffle_epi8(d, q[3]));
                    }
                }
                out
            }
        }
    }
    /// A row of 64 bytes lowered to others.
    #[inline(always)]
    pub(crate) fn lower(d: &mut [u8], x: [__m256i; 2]) {
        let d: &mut [u8; 64] = d.first_chunk_mut().expect("64 bytes");
        let (first, second) = d.split_at_mut(32);
        store(first, min(x[0], load(first)));
        store(second, min(x[1], load(second)));
    }
    /// 255 where the bit is set, else 0.
    #[inline(always)]
    pub(crate) fn expand(bits: u32) -> __m256i {
        // SAFETY: avx2 is enabled for this build; register operations only.
        unsafe {
            let one = |k: i64| 0x0101_0101_0101_0101 * k;
            // Byte i gets the byte of the mask that holds bit i, then is tested for that bit.
            let bytes = _mm256_shuffle_epi8(
                _mm256_set1_epi32(bits as i32),
                _mm256_setr_epi64x(0, one(1), one(2), one(3)),
            );
            let bit = _mm256_set1_epi64x(0x8040_2010_0804_0201u64 as i64);
            _mm256_cmpeq_epi8(_mm256_and_si256(bytes, bit), bit)
        }
    }
    #[inline(always)]
    pub(crate) fn min(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: avx2 is enabled for this build; register operations only.
        unsafe { _mm256_min_epu8(a, b) }
    }
    #[inline(always)]
    pub(crate) fn or(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: avx2 is enabled for this build; register operations only.
        unsafe { _mm256_or_si256(a, b) }
    }
    /// `max(floor, back(best))`, and lost or drawn already where the floor is [`LOST`] or [`DRAWN`].
    #[inline(always)]
    pub(crate) fn settle(best: __m256i, floor: __m256i) -> __m256i {
        // SAFETY: avx2 is enabled for this build; register operations only.
        unsafe {
            let ones = _mm256_set1_epi8(-1);
            let draw = _mm256_cmpeq_epi8(best, _mm256_set1_epi8(-128));
            let high = _mm256_cmpgt_epi8(_mm256_setzero_si256(), best);
            // !v, one more at the draw, two more above it (`draw` is within `high`).
            let flip = _mm256_xor_si256(best, ones);
            let back = _mm256_add_epi8(_mm256_sub_epi8(_mm256_sub_epi8(flip, high), high), draw);
            let x = _mm256_max_epu8(back, floor);
            let lost = _mm256_cmpeq_epi8(floor, _mm256_setzero_si256());
            let drawn = _mm256_cmpeq_epi8(floor, _mm256_set1_epi8(DRAWN as i8));
            let x = _mm256_blendv_epi8(x, _mm256_set1_epi8(loss(0) as i8), lost);
            _mm256_blendv_epi8(x, _mm256_set1_epi8(DRAW as i8), drawn)
        }
    }
    #[inline(always)]
    pub(crate) fn differ(a: __m256i, b: __m256i) -> bool {
        // SAFETY: avx2 is enabled for this build; register operations only.
        unsafe { _mm256_movemask_epi8(_mm256_cmpeq_epi8(a, b)) != -1 }
    }
    /// Five perfect shuffles of the rows transpose 32 x 32 bytes.
    #[inline(always)]
    pub(crate) fn transpose(t: &mut [[u8; 32]]) {
        let t: &mut [[u8; 32]; 32] = t.try_into().expect("32 rows");
        let mut v: [__m256i; 32] = std::array::from_fn(|i| load(&t[i]));
        for _ in 0..5 {
            let w = v;
            for i in 0..16 {
                // SAFETY: avx2 is enabled for this build; register operations only.
                unsafe {
                    let lo = _mm256_unpacklo_epi8(w[i], w[i + 16]);
                    let hi = _mm256_unpackhi_epi8(w[i], w[i + 16]);
                    v[2 * i] = _mm256_permute2x128_si256(lo, hi, 0x20);
                    v[2 * i + 1] = _mm256_permute2x128_si256(lo, hi, 0x31);
                }
            }
        }
        for (r, &x) in t.iter_mut().zip(&v) {
            store(r, x);
        }
    }
}

/// `out[i] = table[idx[i]]`, [`KILL`]-like (255) where the index is [`KILL`] or more.
#[inline(always)]
pub(crate) fn lookup<const N: usize>(table: &Row<N>, idx: &Row<N>) -> Row<N> {
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    if N == 32 {
        let mut out = [0; N];
        avx::store(&mut out, avx::Shuffle::of(idx).apply(table));
        return out;
    }
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    if N == 64 {
        let mut out = [0; N];
        let [low, high] = avx::WideShuffle::of(idx).apply(table);
        avx::store(&mut out, low);
        avx::store(&mut out[32..], high);
        return out;
    }
    std::array::from_fn(|i| if idx[i] < KILL { table[idx[i] as usize & (N - 1)] } else { 255 })
}

/// `out[o + c] = min(out[o + c], src[s + idx[c]])` for every pair `(o, s)` and every column `c < N`.
///
/// # Panics
/// If a row of `N` bytes from an offset does not lie in its slice.
#[inline(always)]
pub(crate) fn fold<const N: usize>(out: &mut [u8], src: &[u8], pairs: &[(u32, u32)], idx: &Row<N>) {
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    if N == 32 {
        let sh = avx::Shuffle::of(idx);
        for &(o, s) in pairs {
            let x = sh.apply(&src[s as usize..]);
            let d = &mut out[o as usize..];
            let y = avx::min(x, avx::load(d));
            avx::store(d, y);
        }
        return;
    }
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    if N == 64 {
        let sh = avx::WideShuffle::of(idx);
        for &(o, s) in pairs {
            avx::lower(&mut out[o as usize..], sh.apply(&src[s as usize..]));
        }
        return;
    }
    for &(o, s) in pairs {
        let (d, s) = (&mut out[o as usize..][..N], &src[s as usize..][..N]);
        for (d, &i) in d.iter_mut().zip(idx) {
            if i < KILL {
                *d = (*d).min(s[i as usize & (N - 1)]);
            }
        }
    }
}

/// [`fold`] of rows of which each has one piece: row `r` of `out` (rows of `N` bytes) with row `to[r]` of `src` (rows of
/// `cols`), if that is less than [`KILL`].
///
/// # Panics
/// As [`fold`].
#[inline(always)]
pub(crate) fn fold_single<const N: usize>(out: &mut [u8], src: &[u8], to: &[u8], cols: usize, idx: &Row<N>) {
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    if N == 32 {
        let sh = avx::Shuffle::of(idx);
        for (d, &s) in out.as_chunks_mut::<N>().0.iter_mut().zip(to) {
            if s < KILL {
                let x = sh.apply(&src[s as usize * cols..]);
                let y = avx::min(x, avx::load(d));
                avx::store(d, y);
            }
        }
        return;
    }
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    if N == 64 {
        let sh = avx::WideShuffle::of(idx);
        for (d, &s) in out.as_chunks_mut::<N>().0.iter_mut().zip(to) {
            if s < KILL {
                avx::lower(d, sh.apply(&src[s as usize * cols..]));
            }
        }
        return;
    }
    for (r, &s) in to.iter().enumerate().filter(|x| *x.1 < KILL) {
        fold::<N>(out, src, &[((r * N) as u32, s as u32 * cols as u32)], idx);
    }
}

/// Asks for bytes that will be read soon. A hint: any range is allowed.
#[inline(always)]
pub(crate) fn prefetch(src: &[u8], at: usize, len: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(s) = src.get(at..at + len) {
        for line in s.chunks(64) {
            // SAFETY: a prefetch has no effect but on the cache, and the address is within a slice.
            unsafe {
                std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(line.as_ptr().cast())
            }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (src, at, len);
}

/// `out[o + c] = min(out[o + c], src[s + c] | mask[c])` for every pair.
///
/// # Panics
/// If a row of `N` bytes from an offset does not lie in its slice.
#[inline(always)]
pub(crate) fn fold_straight<const N: usize>(out: &mut [u8], src: &[u8], pairs: &[(u32, u32)], mask: &Row<N>) {
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    if N == 32 {
        let m = avx::load(mask);
        for &(o, s) in pairs {
            let x = avx::or(avx::load(&src[s as usize..]), m);
            let d = &mut out[o as usize..];
            let y = avx::min(x, avx::load(d));
            avx::store(d, y);
        }
        return;
    }
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    if N == 64 {
        let m = [avx::load(mask), avx::load(&mask[32..])];
        for &(o, s) in pairs {
            let s = &src[s as usize..][..N];
            let x = [avx::or(avx::load(s), m[0]), avx::or(avx::load(&s[32..]), m[1])];
            avx::lower(&mut out[o as usize..], x);
        }
        return;
    }
    for &(o, s) in pairs {
        let (d, s) = (&mut out[o as usize..][..N], &src[s as usize..][..N]);
        for ((d, &s), &m) in d.iter_mut().zip(s).zip(mask) {
            *d = (*d).min(s | m);
        }
    }
}

/// One block's new values: `best` holds the least value after a quiet move (rows of `N` bytes), `floor` the best capture's
/// value (dense rows of `cols`). Writes to `value` (dense) and tells whether anything changed. `tmp` is scratch.
pub(crate) fn settle<const N: usize>(
    best: &[u8],
    rows: usize,
    cols: usize,
    floor: &[u8],
    value: &mut [u8],
    tmp: &mut Vec<u8>,
) -> bool {
    let n = rows * cols;
    if tmp.len() < n + 2 * N {
        tmp.resize(n + 2 * N, 0);
    }
    // Each row runs over into the next, which is then written over it.
    for r in 0..rows {
        let (to, from) = (&mut tmp[r * cols..][..N], &best[r * N..][..N]);
        to.copy_from_slice(from);
    }
    let mut changed = false;
    let mut at = 0;
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    while at + 32 <= n {
        let x = avx::settle(avx::load(&tmp[at..]), avx::load(&floor[at..]));
        let v = &mut value[at..];
        if avx::differ(x, avx::load(v)) {
            changed = true;
            avx::store(v, x);
        }
        at += 32;
    }
    while at < n {
        let x = settled(tmp[at], floor[at]);
        changed |= x != value[at];
        value[at] = x;
        at += 1;
    }
    changed
}

#[inline(always)]
fn settled(best: u8, floor: u8) -> u8 {
    match floor {
        LOST => loss(0),
        DRAWN => DRAW,
        _ => back(best).max(floor),
    }
}

/// Transposes `N` rows of `N` bytes.
#[inline(always)]
pub(crate) fn transpose<const N: usize>(t: &mut [Row<N>; N]) {
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    if N == 32 {
        let (rows, _) = t.as_flattened_mut().as_chunks_mut::<32>();
        avx::transpose(rows);
        return;
    }
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    if N == 64 {
        // By quarters: each is transposed and goes to the place across.
        let mut quarters = [[[[0u8; 32]; 32]; 2]; 2];
        for (i, row) in t.iter().enumerate() {
            for h in 0..2 {
                quarters[i / 32][h][i % 32].copy_from_slice(&row[32 * h..][..32]);
            }
        }
        quarters.as_flattened_mut().iter_mut().for_each(|q| avx::transpose(q));
        for (i, row) in t.iter_mut().enumerate() {
            for h in 0..2 {
                row[32 * h..][..32].copy_from_slice(&quarters[h][i / 32][i % 32]);
            }
        }
        return;
    }
    for i in 0..N {
        for j in 0..i {
            let x = t[i][j];
            t[i][j] = t[j][i];
            t[j][i] = x;
        }
    }
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn sets_and_ranks_agree() {
        let mut rng = Rng(7);
        for _ in 0..1000 {
            let set = rng.next() & rng.next() & 0xffff_ffff;
            let (r, m) = (ranks::<32>(set), members::<32>(set));
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
        let set = !0u64;
        assert_eq!(members::<64>(set)[63], 63);
        assert_eq!(ranks::<64>(set)[63], 63);
    }

    #[test]
    fn vector_and_plain_agree() {
        agree::<32>();
        agree::<64>();
    }

    fn agree<const N: usize>() {
        let mut rng = Rng(9);
        for _ in 0..200 {
            let src: Vec<u8> = (0..400).map(|_| rng.next() as u8).collect();
            // Sometimes nothing of the last quarter.
            let most = if rng.next().is_multiple_of(2) { N } else { N * 3 / 4 };
            let idx: Row<N> = std::array::from_fn(|_| {
                let x = (rng.next() % (most as u64 + 8)) as u8;
                if usize::from(x) < most { x } else { KILL + x }
            });
            let n = N as u32;
            let start: Vec<u8> = (0..4 * N).map(|_| rng.next() as u8).collect();
            let pairs = [(0, 5), (n, 100), (2 * n, 17)];
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
            let mask = expand::<N>(rng.next());
            let mut got = start.clone();
            fold_straight::<N>(&mut got, &src, &pairs, &mask);
            let mut want = start.clone();
            for (o, s) in pairs {
                for c in 0..N {
                    let d = &mut want[o as usize + c];
                    *d = (*d).min(src[s as usize + c] | mask[c]);
                }
            }
            assert_eq!(got, want);
            let table: Row<N> = std::array::from_fn(|i| src[i]);
            let got = lookup(&table, &idx);
            for c in 0..N {
                assert_eq!(got[c], if idx[c] < KILL { table[idx[c] as usize] } else { 255 });
            }
        }
        // Every value against every floor.
        for floor in 0..=255u8 {
            let best: Vec<u8> = (0..8 * N).map(|x| x as u8).collect();
            let mut value = vec![7; 8 * N + PAD];
            settle::<N>(&best, 8, N, &vec![floor; 10 * N], &mut value, &mut vec![]);
            for (v, b) in value.iter().zip(&best) {
                assert_eq!(*v, settled(*b, floor), "{b} {floor}");
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
}
