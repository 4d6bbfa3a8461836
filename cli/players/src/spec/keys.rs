//! The keys of players, and whom they are for.

use Kind::{Ab, Greedy, Human, Mcts, Random, Table, Uci, Ugi};

/// What sort of player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Legal moves, each as likely as the others.
    Random,
    /// One ply ahead by static evaluation.
    Greedy,
    /// Alpha-beta search of this program.
    Ab,
    /// Monte Carlo tree search of this program.
    Mcts,
    /// Perfect play by endgame tables.
    Table,
    /// A person at the terminal.
    Human,
    /// Another program that speaks UCI.
    Uci,
    /// Another program that speaks UGI.
    Ugi,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 8] = [Random, Greedy, Ab, Mcts, Table, Human, Uci, Ugi];

    /// As it is typed.
    pub const fn name(self) -> &'static str {
        match self {
            Random => "random",
            Greedy => "greedy",
            Ab => "ab",
            Mcts => "mcts",
            Table => "table",
            Human => "human",
            Uci => "uci",
            Ugi => "ugi",
        }
    }

    /// The kind that was typed.
    pub(super) fn find(typed: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == typed)
    }
}

/// A key of a player.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// As it is written; `option.` stands for all keys that begin so.
    pub name: &'static str,
    /// What the value is, such as `N` or `DIR`.
    pub value: &'static str,
    /// Whom it is for; a table player takes those of its fallback as well.
    pub kinds: &'static [Kind],
    /// What it does.
    pub help: &'static str,
}

const THINKERS: &[Kind] = &[Ab, Mcts, Uci, Ugi];
const PROGRAMS: &[Kind] = &[Uci, Ugi];

const fn key(name: &'static str, value: &'static str, kinds: &'static [Kind], help: &'static str) -> Key {
    Key { name, value, kinds, help }
}

/// All keys.
pub const KEYS: &[Key] = &[
    key("kind", "KIND", &Kind::ALL, "random, greedy, ab, mcts, table, human, uci or ugi"),
    key("name", "NAME", &Kind::ALL, "as it is shown [default: the kind, or the name of the program]"),
    key(
        "seed",
        "N",
        &[Random, Greedy, Mcts, Table],
        "of its random choices, with that of the game [default: 1]",
    ),
    key("depth", "PLIES", THINKERS, "plies to search"),
    key("nodes", "N", THINKERS, "positions to look at"),
    key("playouts", "N", &[Mcts], "simulations to run"),
    key("time", "TIME", THINKERS, "time of a move: seconds, or with a unit such as 500ms"),
    key("threads", "N", THINKERS, "threads to search on; of a program its option Threads [default: 1]"),
    key(
        "hash",
        "MIB",
        THINKERS,
        "size of the table or the tree; of a program its option Hash [default: what it needs]",
    ),
    key("tables", "DIR", &[Ab, Mcts, Table], "endgame tables"),
    key("params", "FILE", &[Ab], "numbers of pruning and reduction, as `jewel tune --spsa` writes them"),
    key(
        "net",
        "FILE",
        &[Ab, Mcts],
        "network of jewel train to evaluate with; none for none [default: the game's own]",
    ),
    key("priors", "uniform|evaluation", &[Mcts], "which moves are tried first [default: evaluation]"),
    key(
        "leaf",
        "evaluation|PLIES",
        &[Mcts],
        "what a leaf of the tree is worth: by the evaluation, or by alpha-beta search of so many plies [default: what suits the game]",
    ),
    key(
        "minimax",
        "PERCENT",
        &[Mcts],
        "what the worth of leaves counts beside results of simulations [default: what suits the game]",
    ),
    key(
        "playout_plies",
        "N",
        &[Mcts],
        "plies of a playout before the position is evaluated; 0 for no playouts [default: 0]",
    ),
    key(
        "guess",
        "flat|determinized|single|multi|mutual",
        &[Mcts],
        "how to search what is hidden: docs/ismcts.md [default: multi]",
    ),
    key(
        "cheat",
        "yes|no",
        &[Ab, Mcts],
        "see what the game hides from its players, to measure what that is worth [default: no]",
    ),
    key("fallback", "KIND", &[Table], "who plays where the tables do not reach: random, greedy, ab or mcts"),
    key("cmd", "COMMAND", PROGRAMS, "the program with its arguments, quoted as in a shell"),
    key("args", "WORDS", PROGRAMS, "more arguments"),
    key("dir", "DIR", PROGRAMS, "where the program runs [default: here]"),
    key("proto", "uci|ugi", PROGRAMS, "the protocol, where kind does not say it [default: uci]"),
    key("variant", "NAME", PROGRAMS, "what the program calls the game [default: the id of the game]"),
    key("variants", "FILE", PROGRAMS, "the file of variants that the program is to read (VariantPath)"),
    key("option.", "VALUE", PROGRAMS, "option.NAME sets an option of the program"),
    key("start_timeout", "TIME", PROGRAMS, "time to start, and to get ready for a game [default: 10s]"),
    key("stop_timeout", "TIME", PROGRAMS, "time to answer \"stop\" and \"quit\" [default: 2s]"),
    key(
        "move_timeout",
        "TIME",
        PROGRAMS,
        "time of a move where neither a clock nor a time limits it [default: 10m]",
    ),
    key("margin", "TIME", PROGRAMS, "time beyond the limit before \"stop\" is sent [default: 1s]"),
    key("restart", "yes|no", PROGRAMS, "start the program anew for each game [default: no]"),
    key("log", "FILE", PROGRAMS, "where its stderr goes; {pid} in the name is the number of the process"),
];

impl Key {
    /// Whether a key that was typed is this one.
    pub(super) fn fits(&self, typed: &str) -> bool {
        if self.name.ends_with('.') {
            typed.strip_prefix(self.name).is_some_and(|rest| !rest.is_empty())
        } else {
            typed == self.name
        }
    }
}
