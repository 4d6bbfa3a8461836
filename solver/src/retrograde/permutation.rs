//! A permutation of squares applied to whole sets.

/// The permutation as byte tables: 8 look-ups a set.
#[derive(Clone, Debug)]
pub(crate) struct Permutation {
    tab: Box<[[u64; 256]; 8]>,
    /// It moves nothing.
    pub(crate) identity: bool,
}
impl Permutation {
    /// Square `s` goes to `to[s]`; squares beyond its end stay.
    pub(crate) fn of(to: &[u8]) -> Permutation {
        let mut tab = Box::new([[0u64; 256]; 8]);
        for (byte, t) in tab.iter_mut().enumerate() {
            for (v, e) in t.iter_mut().enumerate() {
                for i in (0..8).filter(|i| v >> i & 1 != 0) {
                    let s = byte * 8 + i;
                    *e |= 1u64 << to.get(s).map_or(s, |&x| x as usize);
                }
            }
        }
        Permutation { tab, identity: to.iter().enumerate().all(|(i, &t)| i == t as usize) }
    }
    /// Image of a set.
    #[inline(always)]
    pub(crate) fn apply(&self, x: u64) -> u64 {
        (0..8).fold(0, |r, i| r | self.tab[i][(x >> (8 * i)) as usize & 255])
    }
}
