//! The slices of a layout and their blocks.

use super::{Block, Effort, Layout, MAX_MIDDLE, NO_SET, NONE, Slice};
use jewel_engine::bitboard::Bitboard;

/// The most cells of a slice for one side to move.
const MAX_SLICE: u64 = u32::MAX as u64 - 1;

impl Layout {
    /// Lists the slices: the first placement of the outer groups in each orbit under the symmetries; `None` if a slice is
    /// too large, or all of them take more than is allowed.
    pub(super) fn make_slices(&mut self, effort: Effort<'_>) -> Option<()> {
        let total: usize = self.outer.iter().map(|&g| self.groups[g].sets.len()).product();
        self.orbit = vec![(NONE, 0); total];
        let mut left = effort.memory.checked_sub(8 * total as u64)?;
        let mut ids = vec![0u32; self.groups.len()];
        for number in 0..total {
            if self.orbit[number].0 != NONE {
                continue;
            }
            let mut rest = number;
            let (mut occupied, mut clash) = (Bitboard::EMPTY, false);
            for &g in self.outer.iter().rev() {
                let sets = &self.groups[g].sets;
                ids[g] = (rest % sets.len()) as u32;
                rest /= sets.len();
                let set = sets[ids[g] as usize];
                clash |= (occupied & set).any();
                occupied |= set;
            }
            if clash {
                continue;
            }
            // A placement that symmetry `s` leads to from here comes back by the inverse of `s`.
            let slice = self.slices.len() as u32;
            for s in 0..self.symmetries.len() {
                let mut image = ids.clone();
                for &g in &self.outer {
                    image[self.image[s][g]] = self.id_map[s][g][ids[g] as usize];
                }
                let there = self.outer_number(&image);
                if self.orbit[there].0 == NONE {
                    self.orbit[there] = (slice, self.inverse(s) as u8);
                }
            }
            let slice = self.make_slice(self.outer.iter().map(|&g| ids[g]).collect(), occupied, left)?;
            left = left.checked_sub(slice.index_bytes()).filter(|_| (effort.goes_on)())?;
            self.entries += slice.bytes;
            self.slices.push(slice);
        }
        Some(())
    }

    /// The number of a placement of the outer groups, from ids by group.
    fn outer_number(&self, ids: &[u32]) -> usize {
        self.outer.iter().fold(0, |n, &g| n * self.groups[g].sets.len() + ids[g] as usize)
    }

    /// The symmetry that undoes a symmetry.
    fn inverse(&self, s: usize) -> usize {
        let symmetry = &self.symmetries[s];
        let undoes = |i: &usize| {
            let other = &self.symmetries[*i];
            let mut squares = symmetry.squares.iter().enumerate();
            other.swap == symmetry.swap
                && squares.all(|(from, &to)| usize::from(other.squares[usize::from(to)]) == from)
        };
        (0..self.symmetries.len()).find(undoes).expect("symmetries form a group")
    }

    /// One slice: its blocks are the placements of the middle groups on free squares; `None` if it is too large, or its
    /// lists may take more bytes than are left.
    fn make_slice(&self, outer: Vec<u32>, occupied: Bitboard, left: u64) -> Option<Slice> {
        // For each middle group, the sets that keep clear of the outer pieces.
        let mut lists: Vec<Vec<u16>> = vec![];
        let mut local = vec![];
        let mut stride = vec![];
        let mut numbers = 1u32;
        for &g in &self.middle {
            let mut local_of = vec![NO_SET; self.groups[g].sets.len()];
            let mut list = vec![];
            for (id, &set) in self.groups[g].sets.iter().enumerate() {
                if (set & occupied).is_empty() {
                    local_of[id] = list.len() as u16;
                    list.push(id as u16);
                }
            }
            stride.push(numbers);
            numbers = numbers.checked_mul(list.len() as u32)?;
            lists.push(list);
            local.push(local_of);
        }
        if u64::from(numbers) * (4 + size_of::<Block>() as u64) > left {
            return None;
        }
        // Of their combinations, those in which no piece stands on another.
        let mut block_of = vec![NONE; numbers as usize];
        let mut blocks = vec![];
        let mut offset = 0u64;
        for (number, slot) in block_of.iter_mut().enumerate() {
            let mut rest = number;
            let (mut taken, mut clash) = (occupied, false);
            let mut middle = [0; MAX_MIDDLE];
            for (i, &g) in self.middle.iter().enumerate() {
                let id = lists[i][rest % lists[i].len()];
                rest /= lists[i].len();
                let set = self.groups[g].sets[usize::from(id)];
                clash |= (taken & set).any();
                taken |= set;
                middle[i] = id;
            }
            if clash {
                continue;
            }
            *slot = blocks.len() as u32;
            blocks.push(Block { occupied: taken, offset: offset as u32, number: number as u32, middle });
            offset += (self.rows(taken) * self.columns(taken)) as u64;
            if offset > MAX_SLICE {
                return None;
            }
        }
        Some(Slice { outer, occupied, local, stride, block_of, blocks, base: self.entries, bytes: offset })
    }
}
