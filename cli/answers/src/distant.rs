//! Files that are far away and read part by part, such as the tables beside a page.

use jewel_tables::source::ReadAt;
use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

/// Where parts of files come from.
pub trait Fetch: Send + Sync {
    /// Fills `buffer` with the bytes from `offset` on of a file that has `length` bytes in all.
    ///
    /// # Errors
    /// If the file is not there, or this part of it cannot be had.
    fn fetch(&self, file: &str, length: u64, offset: u64, buffer: &mut [u8]) -> io::Result<()>;
}

/// Bytes of a page: as much as is fetched at a time. A look-up reads a few blocks of some kilobytes, and each request takes
/// a journey to the server and back.
const PAGE: u64 = 32 << 10;

/// Most pages that are kept: 32 MiB.
const MAX_PAGES: usize = 1024;

/// The pages of one file, or of another, by the file's name and their number.
type Pages = HashMap<(Arc<str>, u64), Arc<[u8]>>;

/// Files that are fetched page by page. Pages that were fetched are kept for a while.
pub struct DistantFiles {
    source: Box<dyn Fetch>,
    pages: Mutex<Pages>,
}

impl DistantFiles {
    /// The files of a source.
    pub fn new(source: Box<dyn Fetch>) -> Arc<DistantFiles> {
        Arc::new(DistantFiles { source, pages: Mutex::default() })
    }

    /// A file of `length` bytes; it is not touched before something is read.
    pub fn file(self: &Arc<Self>, name: &str, length: u64) -> DistantFile {
        DistantFile { files: Arc::clone(self), name: name.into(), length }
    }
}

/// A file that is fetched page by page.
pub struct DistantFile {
    files: Arc<DistantFiles>,
    name: Arc<str>,
    length: u64,
}

impl DistantFile {
    fn page(&self, number: u64) -> io::Result<Arc<[u8]>> {
        let key = (Arc::clone(&self.name), number);
        let pages = || self.files.pages.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(page) = pages().get(&key) {
            return Ok(Arc::clone(page));
        }
        let offset = number * PAGE;
        let mut page = vec![0; PAGE.min(self.length - offset) as usize];
        self.files.source.fetch(&self.name, self.length, offset, &mut page)?;
        let page: Arc<[u8]> = page.into();
        let mut pages = pages();
        if pages.len() >= MAX_PAGES {
            pages.clear();
        }
        pages.insert(key, Arc::clone(&page));
        Ok(page)
    }
}

impl ReadAt for DistantFile {
    fn length(&self) -> u64 {
        self.length
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        if offset.checked_add(buffer.len() as u64).is_none_or(|end| end > self.length) {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file is cut short"));
        }
        let (mut at, mut rest) = (offset, buffer);
        while !rest.is_empty() {
            let page = self.page(at / PAGE)?;
            let part = &page[(at % PAGE) as usize..];
            let (now, later) = rest.split_at_mut(part.len().min(rest.len()));
            now.copy_from_slice(&part[..now.len()]);
            at += now.len() as u64;
            rest = later;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jewel_engine::random::Random;

    /// A file in memory, and what was fetched of it.
    struct Memory(Vec<u8>, Arc<Mutex<Vec<(u64, usize)>>>);

    impl Fetch for Memory {
        fn fetch(&self, file: &str, length: u64, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
            assert_eq!((file, length), ("x", self.0.len() as u64));
            self.1.lock().unwrap().push((offset, buffer.len()));
            self.0.read_at(offset, buffer)
        }
    }

    #[test]
    fn any_part_is_read_and_no_page_is_fetched_twice() {
        let mut random = Random::new(1);
        let bytes: Vec<u8> = (0..3 * PAGE + 100).map(|_| random.below(256) as u8).collect();
        let fetched = Arc::default();
        let file = DistantFiles::new(Box::new(Memory(bytes.clone(), Arc::clone(&fetched))))
            .file("x", bytes.len() as u64);
        for _ in 0..300 {
            let from = random.below(bytes.len() as u32 + 1) as usize;
            let length = random.below((bytes.len() - from) as u32 + 1) as usize;
            let mut part = vec![0; length];
            file.read_at(from as u64, &mut part).unwrap();
            assert_eq!(part, bytes[from..from + length]);
        }
        let mut fetched = fetched.lock().unwrap().clone();
        fetched.sort_unstable();
        let page = PAGE as usize;
        assert_eq!(fetched, [(0, page), (PAGE, page), (2 * PAGE, page), (3 * PAGE, 100)]);
    }

    #[test]
    fn nothing_is_fetched_behind_the_end() {
        let bytes = vec![7; 100];
        let file = DistantFiles::new(Box::new(Memory(bytes, Arc::default()))).file("x", 100);
        for (offset, length) in [(0, 101), (100, 1), (u64::MAX, 2)] {
            let error = file.read_at(offset, &mut vec![0; length]).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
        }
        file.read_at(100, &mut []).unwrap();
    }
}
