//! Many builders of one set of tables, in processes of their own that share nothing but a folder.
//!
//! Each builder looks for a class that is ready: one whose table is missing, or whose values a missing one needs, and all of
//! whose own children have their values there. It locks the file of that class, solves it, writes its table, and lets go. The
//! lock is one of the system on an open file, so it ends with the process that holds it, whatever ends that process; another
//! builder then goes on from the last save. Nothing depends on who builds what: every file is a function of the rules and the
//! class, is written under a temporary name and gets its own at once when it is whole. So even two builders that solved the
//! same class, as may happen where a file system shows new files late, would leave the same bytes.
//!
//! Of several ready classes a builder takes the one with the most work after it on any path through the classes.

use super::build::{Build, Lock, is_there, lock, sweep_away_temporaries, table_path};
use super::monitor::{BuildError, Stage};
use super::plan::Plan;
use super::scratch::{self, Files};
use crate::retrograde::class::Class;
use crate::retrograde::solved::Solved;
use std::collections::HashMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// The shortest and the longest time between two looks for a class that is ready.
const PAUSES: [Duration; 2] = [Duration::from_millis(5), Duration::from_millis(250)];
/// How long to wait for another builder that is only just beginning.
const PATIENCE: Duration = Duration::from_secs(10);

/// The classes of a plan by number, with those that each needs.
pub(super) struct Network {
    children: Vec<Vec<usize>>,
    cells: Vec<u64>,
    /// Cells of the class and of the longest path of classes that need it.
    rank: Vec<u64>,
}

impl Network {
    pub(super) fn new(plan: &Plan<'_>) -> Network {
        let numbers: HashMap<Class, usize> =
            plan.classes.iter().enumerate().map(|(n, c)| (c.class, n)).collect();
        let of =
            |class: Class| class.children(&plan.game).into_iter().map(|c| numbers[&c.stored(&plan.game).0]);
        let children: Vec<Vec<usize>> = plan.classes.iter().map(|c| of(c.class).collect()).collect();
        let cells: Vec<u64> = plan.classes.iter().map(|c| c.cells).collect();
        let mut rank = cells.clone();
        // Every class comes after those that it needs.
        for n in (0..children.len()).rev() {
            for &child in &children[n] {
                rank[child] = rank[child].max(cells[child].saturating_add(rank[n]));
            }
        }
        Network { children, cells, rank }
    }

    /// Cells of the longest path: what is left to do when there are builders for all classes.
    pub(super) fn longest_path(&self) -> u64 {
        self.rank.iter().copied().max().unwrap_or(0)
    }

    /// Cells that a builder which is never idle solves until this many builders have done all classes. Each takes of the
    /// ready classes the one of the highest rank, as a fleet does.
    pub(super) fn makespan(&self, builders: usize) -> u64 {
        let mut left: Vec<usize> = self.children.iter().map(Vec::len).collect();
        let mut parents = vec![vec![]; left.len()];
        for (parent, children) in self.children.iter().enumerate() {
            children.iter().for_each(|&child| parents[child].push(parent));
        }
        let mut ready: Vec<usize> = (0..left.len()).filter(|&n| left[n] == 0).collect();
        let mut busy: Vec<(u64, usize)> = vec![];
        let mut now = 0;
        loop {
            ready.sort_by_key(|&n| self.rank[n]);
            while busy.len() < builders
                && let Some(n) = ready.pop()
            {
                busy.push((now + self.cells[n], n));
            }
            let Some(first) = busy.iter().enumerate().min_by_key(|(_, work)| **work).map(|(at, _)| at) else {
                return now;
            };
            let (end, done) = busy.swap_remove(first);
            now = end;
            for &parent in &parents[done] {
                left[parent] -= 1;
                if left[parent] == 0 {
                    ready.push(parent);
                }
            }
        }
    }
}

/// One of the builders.
pub(super) struct Builder<'a, 'r> {
    build: Build<'a, 'r>,
    name: &'a str,
    network: Network,
}

/// What is to be done, at a moment.
struct Survey {
    /// Classes whose tables are missing, or whose values these need.
    open: Vec<usize>,
    /// Of these, the ones whose children's values are there, those with most work after them first.
    ready: Vec<usize>,
    /// Whether the values of a class have to stay, by number.
    kept: Vec<bool>,
}

impl<'a, 'r> Builder<'a, 'r> {
    pub(super) fn new(build: Build<'a, 'r>, name: &'a str) -> Builder<'a, 'r> {
        let network = Network::new(build.plan);
        Builder { build, name, network }
    }

    /// Builds with the others until all tables are there.
    pub(super) fn run(mut self) -> Result<(), BuildError> {
        let _with_others = self.join()?;
        let mut solved = Solved::default();
        let mut pause = PAUSES[0];
        loop {
            self.build.monitor.check()?;
            self.meet_tables()?;
            let survey = self.survey();
            if survey.open.is_empty() {
                return Ok(());
            }
            if self.work(&survey, &mut solved)? {
                pause = PAUSES[0];
                continue;
            }
            self.build.monitor.tell(&self.others(&survey), Stage::Wait, 0);
            std::thread::sleep(pause);
            pause = (pause * 3 / 2).min(PAUSES[1]);
        }
    }

    /// Shares the lock of the folder with the other builders. Who is the first removes what killed ones have left.
    fn join(&self) -> Result<Lock, BuildError> {
        let (folder, unfinished) = (self.build.folder, self.build.unfinished);
        let path = unfinished.join("lock");
        let failed = |e| BuildError::io(&path, e);
        let start = Instant::now();
        loop {
            self.build.monitor.check()?;
            // The last builder of a fleet removes the folder.
            fs::create_dir_all(unfinished).map_err(|e| BuildError::io(unfinished, e))?;
            match lock(folder, unfinished) {
                Ok(alone) => {
                    sweep_away_temporaries(folder, unfinished)?;
                    drop(alone);
                }
                Err(BuildError::Busy(_)) => {}
                Err(BuildError::Io { error, .. }) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            }
            let file = File::options().write(true).create(true).truncate(false).open(&path);
            match file.map(|file| (file.try_lock_shared(), file)) {
                Ok((Ok(()), file)) if path.exists() => return Ok(Lock(file)),
                Ok((Ok(()) | Err(TryLockError::WouldBlock), _)) if start.elapsed() < PATIENCE => {}
                Ok((Ok(()) | Err(TryLockError::WouldBlock), _)) => {
                    return Err(BuildError::Busy(folder.to_path_buf()));
                }
                Ok((Err(TryLockError::Error(e)), _)) => return Err(failed(e)),
                Err(e) if e.kind() == io::ErrorKind::NotFound && start.elapsed() < PATIENCE => {}
                Err(e) => return Err(failed(e)),
            }
            std::thread::sleep(PAUSES[0]);
        }
    }

    /// Takes note of the tables that others have finished.
    fn meet_tables(&mut self) -> Result<(), BuildError> {
        for planned in &self.build.plan.classes {
            let path = table_path(self.build.folder, &planned.name);
            if self.build.missing.contains(&planned.class)
                && path.exists()
                && is_there(&path, self.build.plan.rules().fingerprint)?
            {
                self.build.missing.remove(&planned.class);
                self.build.monitor.tell(&planned.name, Stage::Found, planned.cells);
            }
        }
        Ok(())
    }

    fn survey(&self) -> Survey {
        let classes = &self.build.plan.classes;
        let missing = |n: usize| self.build.missing.contains(&classes[n].class);
        let mut there = vec![None; classes.len()];
        let mut has_values = |n: usize| {
            *there[n].get_or_insert_with(|| scratch::are_there(&self.files(n), self.build.stamp()))
        };
        let mut kept: Vec<bool> = (0..classes.len()).map(missing).collect();
        let mut survey = Survey { open: vec![], ready: vec![], kept: vec![] };
        // Every class comes after those that it needs, so what it needs is known before these are looked at.
        for n in (0..classes.len()).rev() {
            if !kept[n] || has_values(n) && !missing(n) {
                continue;
            }
            survey.open.push(n);
            if has_values(n) {
                survey.ready.push(n);
                continue;
            }
            let children = &self.network.children[n];
            children.iter().for_each(|&child| kept[child] = true);
            if children.iter().all(|&child| has_values(child)) {
                survey.ready.push(n);
            }
        }
        survey.kept = kept;
        survey.ready.sort_by_key(|&n| std::cmp::Reverse(self.network.rank[n]));
        survey
    }

    /// Does the first ready class that no other builder works on; whether there was one.
    fn work(&mut self, survey: &Survey, solved: &mut Solved) -> Result<bool, BuildError> {
        for &n in &survey.ready {
            let path = self.files(n).lock();
            if let Some(lock) = self.lock(&path)? {
                let done = self.finish(n, solved);
                drop(lock);
                done?;
                self.remove_unneeded(n, solved)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Solves a class that this builder has locked, and writes its table if that is missing.
    fn finish(&mut self, n: usize, solved: &mut Solved) -> Result<(), BuildError> {
        let planned = &self.build.plan.classes[n];
        let (class, name) = (planned.class, planned.name.as_str());
        // Another builder may have done it since the survey.
        let path = table_path(self.build.folder, name);
        let written = is_there(&path, self.build.plan.rules().fingerprint)?;
        if !self.build.open(class, solved) {
            if written && self.build.missing.contains(&class) {
                return Ok(());
            }
            for &child in &self.network.children[n] {
                let child_class = self.build.plan.classes[child].class;
                if solved.table(child_class).is_none() && !self.build.open(child_class, solved) {
                    // Damaged, or unneeded and gone: another survey finds out.
                    return self.remove_damaged(child);
                }
            }
            self.build.solve_alone(class, solved)?;
            for &child in &self.network.children[n] {
                let settled = self.files(child).settled();
                scratch::remove(&settled).map_err(|e| BuildError::io(&settled, e))?;
            }
        }
        if !written {
            self.build.write(name, solved.table(class).expect("it has just been solved"))?;
            self.build.missing.remove(&class);
            self.build.monitor.tell(name, Stage::Done, planned.cells);
        }
        Ok(())
    }

    /// Removes the values of a class that read differently from what was written, unless another builder is at them.
    fn remove_damaged(&self, n: usize) -> Result<(), BuildError> {
        let files = self.files(n);
        if let Some(_lock) = self.lock(&files.lock())?
            && scratch::are_there(&files, self.build.stamp())
            && !self.build.open(self.build.plan.classes[n].class, &mut Solved::default())
        {
            files.remove()?;
        }
        Ok(())
    }

    /// Removes values that nothing needs any more once a class is done: its own and its children's.
    fn remove_unneeded(&mut self, n: usize, solved: &mut Solved) -> Result<(), BuildError> {
        self.meet_tables()?;
        let kept = self.survey().kept;
        for class in self.network.children[n].iter().copied().chain([n]).filter(|&class| !kept[class]) {
            solved.remove(self.build.plan.classes[class].class);
            let files = self.files(class);
            if let Some(_lock) = self.lock(&files.lock())? {
                files.remove()?;
            }
        }
        for class in solved.classes() {
            if self
                .build
                .plan
                .classes
                .iter()
                .zip(&kept)
                .any(|(planned, &kept)| planned.class == class && !kept)
            {
                solved.remove(class);
            }
        }
        Ok(())
    }

    fn files(&self, n: usize) -> Files<'_> {
        self.build.files(&self.build.plan.classes[n].name)
    }

    /// Locks the file of a class and writes the name of this builder into it; `None` if another one has it.
    fn lock(&self, path: &Path) -> Result<Option<Lock>, BuildError> {
        let failed = |e| BuildError::io(path, e);
        let mut file = File::options().write(true).create(true).truncate(false).open(path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(e)) => return Err(failed(e)),
        }
        file.set_len(0).and_then(|()| file.write_all(self.name.as_bytes())).map_err(failed)?;
        Ok(Some(Lock(file)))
    }

    /// The classes that others are at, each with its builder.
    fn others(&self, survey: &Survey) -> String {
        let of = |&n: &usize| {
            let builder = fs::read_to_string(self.files(n).lock()).unwrap_or_default();
            format!("{} ({})", self.build.plan.classes[n].name, builder.trim())
        };
        survey.ready.iter().map(of).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two chains that meet: 0 (5 cells) -> 2 (1 cell), 1 (2) -> 3 (2), and 4 (10) that needs 2 and 3.
    fn network() -> Network {
        let children = vec![vec![], vec![], vec![0], vec![1], vec![2, 3]];
        Network { children, cells: vec![5, 2, 1, 2, 10], rank: vec![16, 14, 11, 12, 10] }
    }

    #[test]
    fn a_fleet_takes_the_longest_path_at_least() {
        let network = network();
        assert_eq!(network.longest_path(), 16);
        assert_eq!([1, 2, 3].map(|builders| network.makespan(builders)), [20, 16, 16]);
    }

    #[test]
    fn classes_wait_for_what_they_need() {
        // Three classes of the same size need the first; the last needs all of them.
        let children = vec![vec![], vec![0], vec![0], vec![0], vec![1, 2, 3]];
        let network = Network { children, cells: vec![4; 5], rank: vec![12, 8, 8, 8, 4] };
        assert_eq!([1, 2, 3, 9].map(|builders| network.makespan(builders)), [20, 16, 12, 12]);
    }
}
