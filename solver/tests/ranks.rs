//! Tables built by several ranks, against those of a single process.

use jewel_engine::games;
use jewel_engine::variant::Rules;
use jewel_solver::tablebase::build::{self, BuildError, Options};
use jewel_solver::tablebase::ranks::{self, Exchange, Threads, Traffic, threads};
use jewel_solver::tablebase::{Plan, Scope};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::Duration;

/// An empty folder of this test's own, removed when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("jewel-ranks-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The files of a folder, by name.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let file = |path: PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (name, std::fs::read(&path).expect("there are no folders left"))
    };
    entries.map(file).collect()
}

fn assert_same(one: &BTreeMap<String, Vec<u8>>, other: &BTreeMap<String, Vec<u8>>, what: &str) {
    assert_eq!(one.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>(), "{what}");
    for (name, bytes) in one {
        assert!(*bytes == other[name], "{what}: {name} differs");
    }
}

/// The tables of a single process.
fn alone(plan: &Plan<'_>, options: &Options, name: &str) -> BTreeMap<String, Vec<u8>> {
    let folder = Folder::new(&format!("{name}-alone"));
    build::build(plan, &folder.0, options, &AtomicBool::new(false), &|_| {}).unwrap();
    files(&folder.0)
}

/// What each of several ranks in one process comes to, each with a pool of a single thread.
fn together<E: Exchange + Send>(
    plan: &Plan<'_>,
    folder: &Path,
    options: &Options,
    ends: Vec<E>,
) -> Vec<Result<Traffic, BuildError>> {
    thread::scope(|scope| {
        let rank = |mut end: E| {
            let work =
                move || ranks::build(plan, folder, options, &mut end, &AtomicBool::new(false), &|_| {});
            scope.spawn(|| rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(work))
        };
        let ranks: Vec<_> = ends.into_iter().map(rank).collect();
        ranks.into_iter().map(|rank| rank.join().unwrap()).collect()
    })
}

/// Builds a class alone and with one to four ranks; returns what these sent.
fn compare(rules: &Rules, class: &str, options: &Options) -> Vec<Traffic> {
    let plan = Plan::new(rules, &Scope::Class(class.to_string())).unwrap();
    let name = format!("{}-{class}-{}", rules.id, options.window);
    let expected = alone(&plan, options, &name);
    (1..=4)
        .map(|ranks| {
            let folder = Folder::new(&format!("{name}-{ranks}"));
            let sent = together(&plan, &folder.0, options, threads(ranks));
            let sent: Vec<Traffic> = sent.into_iter().map(Result::unwrap).collect();
            assert_same(&files(&folder.0), &expected, &format!("{name} on {ranks} ranks"));
            sent.iter().fold(Traffic::default(), |sum, t| Traffic {
                messages: sum.messages + t.messages,
                bytes: sum.bytes + t.bytes,
                cells: sum.cells + t.cells,
                cells_a_move: sum.cells_a_move + t.cells_a_move,
                final_bytes: sum.final_bytes + t.final_bytes,
                all_bytes: sum.all_bytes + t.all_bytes,
            })
        })
        .collect()
}

fn rules(id: &str) -> &'static Rules {
    games::find(id).unwrap().rules()
}

#[test]
fn games_with_a_key() {
    let sent = compare(rules("ambush"), "NLvNQ", &Options::default());
    assert_eq!(
        sent[0],
        Traffic { all_bytes: sent[0].all_bytes, ..Traffic::default() },
        "one rank sends nothing"
    );
    for sent in &sent[1..] {
        assert!(sent.cells > 0 && sent.cells < sent.cells_a_move, "{sent:?}");
    }
    compare(rules("duel"), "LvL", &Options::default());
}

#[test]
fn a_game_from_a_file_with_few_slices() {
    let text = std::fs::read_to_string("../examples/variants/duel-4x4.toml").unwrap();
    let rules = Rules::parse(&text).unwrap();
    let plan = Plan::new(&rules, &Scope::Start).unwrap();
    let largest = plan.classes.last().unwrap().name.clone();
    compare(&rules, &largest, &Options::default());
}

#[test]
fn kings_are_mated() {
    // The sides may be exchanged in the first class: outer moves lead to slices seen from the other side.
    compare(rules("diamond-chess"), "NKvNK", &Options::default());
    compare(rules("diamond-quest"), "RKvBK", &Options::default());
}

/// On a board on which it is quick, with pawns as outer pieces that step twice past enemies to slices of other ranks.
#[test]
fn pawns_capture_en_passant() {
    let text = r#"
        id = "ep"
        name = "ep"
        [board]
        size = "3x6"
        start = "krp/ppp/3/3/PPP/PRK w - - 0 1"
        [[piece]]
        letter = "K"
        name = "King"
        moves = "K"
        royal = true
        [[piece]]
        letter = "R"
        name = "Rook"
        moves = "R"
        [[piece]]
        letter = "P"
        name = "Pawn"
        moves = "mfWcfFimfnD"
        en-passant = true
        promotion = { zone = { w = ["rank 6"], b = ["rank 1"] }, to = "R" }
        [draw]
        insufficient = ["KvK"]
    "#;
    compare(&Rules::parse(text).unwrap(), "KPvKP", &Options::default());
}

#[test]
fn several_windows() {
    compare(rules("diamond-chess"), "RKvK", &Options { window: 5, ..Options::default() });
    compare(rules("ambush"), "NvNQ", &Options { window: 3, ..Options::default() });
}

/// An exchange that fails after a number of messages, as if the process had been killed.
struct Failing {
    end: Threads,
    left: u32,
}

impl Exchange for Failing {
    fn rank(&self) -> usize {
        self.end.rank()
    }

    fn ranks(&self) -> usize {
        self.end.ranks()
    }

    fn send(&mut self, to: usize, message: &[u8]) -> io::Result<()> {
        self.left = self.left.checked_sub(1).ok_or(io::ErrorKind::BrokenPipe)?;
        self.end.send(to, message)
    }

    fn receive(&mut self, patience: Duration) -> io::Result<Option<(usize, Vec<u8>)>> {
        if self.left == 0 { Err(io::ErrorKind::BrokenPipe.into()) } else { self.end.receive(patience) }
    }
}

#[test]
fn after_a_rank_has_gone_any_number_of_ranks_goes_on() {
    let plan = Plan::new(rules("ambush"), &Scope::Class("NLvNQ".to_string())).unwrap();
    // A checkpoint after every turn.
    let options = Options { checkpoint: Duration::ZERO, ..Options::default() };
    let expected = alone(&plan, &options, "gone");
    for (number, &left) in [2, 5, 11, 20, 30, 40].iter().enumerate() {
        let folder = Folder::new(&format!("gone-{left}"));
        let mut failures = 0;
        for round in 0.. {
            let ranks = 2 + (number + round) % 3;
            let fails = (number + round) % ranks;
            // One rank fails, later than the one before.
            let left = if round < 3 { left + 5 * round as u32 } else { u32::MAX };
            let with = |(rank, end)| Failing { end, left: if rank == fails { left } else { u32::MAX } };
            let ends = threads(ranks).into_iter().enumerate().map(with).collect();
            let results = together(&plan, &folder.0, &options, ends);
            if results.iter().all(Result::is_ok) {
                break;
            }
            failures += 1;
            for (rank, result) in results.iter().enumerate().filter(|x| x.0 != fails) {
                match result {
                    Err(BuildError::Ranks(why)) => {
                        assert!(
                            why.contains(&format!("rank {fails}")) || why.contains("has gone"),
                            "{rank}: {why}"
                        );
                    }
                    other => panic!("rank {rank} of {ranks}: {other:?}"),
                }
            }
        }
        assert!(failures >= 1, "{left}: no rank failed");
        assert_same(&files(&folder.0), &expected, &format!("failing after {left} messages"));
    }
}

#[test]
fn a_single_process_goes_on_where_ranks_have_stopped() {
    let plan = Plan::new(rules("ambush"), &Scope::Class("NLvNQ".to_string())).unwrap();
    let options = Options { checkpoint: Duration::ZERO, ..Options::default() };
    let expected = alone(&plan, &options, "single");
    let folder = Folder::new("single");
    let with = |(rank, end)| Failing { end, left: if rank == 1 { 40 } else { u32::MAX } };
    let ends = threads(3).into_iter().enumerate().map(with).collect();
    assert!(together(&plan, &folder.0, &options, ends).iter().all(Result::is_err));
    let saved = std::fs::read_dir(folder.0.join("unfinished")).unwrap();
    let saved = saved.filter(|file| file.as_ref().unwrap().file_name().to_string_lossy().contains("-of-3"));
    assert!(saved.count() > 0, "there is a checkpoint");
    build::build(&plan, &folder.0, &options, &AtomicBool::new(false), &|_| {}).unwrap();
    assert_same(&files(&folder.0), &expected, "a single process after three ranks");
}

#[test]
fn ranks_with_different_plans_are_refused() {
    let plans =
        ["NvNQ", "NLvN"].map(|class| Plan::new(rules("ambush"), &Scope::Class(class.to_string())).unwrap());
    let folder = Folder::new("different");
    thread::scope(|scope| {
        for (plan, mut end) in plans.iter().zip(threads(2)) {
            let folder = &folder.0;
            scope.spawn(move || {
                let built = ranks::build(
                    plan,
                    folder,
                    &Options::default(),
                    &mut end,
                    &AtomicBool::new(false),
                    &|_| {},
                );
                let why = built.unwrap_err().to_string();
                assert!(why.contains("something else") || why.contains("has gone"), "{why}");
            });
        }
    });
    assert!(files(&folder.0).is_empty(), "nothing is written");
}

/// Processes that this test starts, each of which runs [`a_process`] as one rank.
#[cfg(unix)]
mod processes {
    use super::*;
    use jewel_solver::tablebase::ranks::Sockets;
    use std::process::{Child, Command, Stdio};
    use std::time::Instant;

    const CLASS: &str = "NNvNQ";

    fn plan() -> Plan<'static> {
        Plan::new(rules("ambush"), &Scope::Class(CLASS.to_string())).unwrap()
    }

    /// A checkpoint after every turn.
    fn options() -> Options {
        Options { checkpoint: Duration::ZERO, ..Options::default() }
    }

    fn start(folder: &Path, rank: usize, ranks: usize) -> Child {
        Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "ranks::processes::a_process", "--include-ignored", "--test-threads=1"])
            .env("JEWEL_RANK", format!("{rank} {ranks}"))
            .env("JEWEL_FOLDER", folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    #[test]
    #[ignore = "what the processes of the next test run"]
    fn a_process() {
        let (Ok(rank), Ok(folder)) = (std::env::var("JEWEL_RANK"), std::env::var("JEWEL_FOLDER")) else {
            return;
        };
        let (rank, ranks) = rank.split_once(' ').unwrap();
        let (rank, ranks) = (rank.parse().unwrap(), ranks.parse().unwrap());
        let folder = Path::new(&folder);
        let mut end = Sockets::join(&folder.join("sockets"), rank, ranks, Duration::from_secs(30)).unwrap();
        let tables = folder.join("tables");
        ranks::build(&plan(), &tables, &options(), &mut end, &AtomicBool::new(false), &|_| {}).unwrap();
    }

    #[test]
    fn processes_of_which_one_is_killed() {
        let expected = alone(&plan(), &options(), "killed");
        let folder = Folder::new("killed");
        let (tables, sockets) = (folder.0.join("tables"), folder.0.join("sockets"));
        std::fs::create_dir_all(&tables).unwrap();
        let mut killed = 0;
        for round in 0..20 {
            let ranks = 2 + round % 3;
            let _ = std::fs::remove_dir_all(&sockets);
            std::fs::create_dir_all(&sockets).unwrap();
            let mut children: Vec<Child> = (0..ranks).map(|rank| start(&folder.0, rank, ranks)).collect();
            if round < 3 {
                // Not before they are at work, and each time a little later.
                let end = Instant::now() + Duration::from_secs(30);
                while !tables.join("unfinished").is_dir() && Instant::now() < end {
                    thread::sleep(Duration::from_millis(1));
                }
                thread::sleep(Duration::from_millis(20 * round as u64));
                children[round % ranks].kill().unwrap();
            }
            let well =
                children.iter_mut().filter_map(|child| child.wait().unwrap().success().then_some(())).count();
            if well == ranks {
                break;
            }
            assert!(round < 3, "all of {ranks} ranks were left alone, and {well} ended well");
            killed += 1;
        }
        assert!(killed > 0, "no process was killed in time");
        assert_same(&files(&tables), &expected, "processes");
    }
}
