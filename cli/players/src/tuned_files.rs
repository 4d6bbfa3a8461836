//! Files that `jewel tune` and `jewel train` write, as players and commands take them.

use crate::beside;
use crate::support::files::{read, read_text};
use anyhow::{Context, Result, anyhow};
use jewel_engine::position::Position;
use jewel_engine::variant::Rules;
use jewel_search::alphabeta::SearchParams;
use jewel_search::evaluate::net::Net;
use jewel_search::evaluate::{Evaluation, HandcraftedEvaluation, Tunable, WeightList, Weights};
use std::path::Path;
use std::sync::Arc;

/// The longest file of a network that is read, in bytes.
pub(crate) const MAX_NET_BYTES: u64 = 1 << 24;

/// The longest file of weights that is read, in bytes.
const MAX_WEIGHTS_BYTES: u64 = 1 << 24;

/// The longest file of search parameters that is read, in bytes.
const MAX_PARAMS_BYTES: u64 = 1 << 16;

/// The best evaluation that there is for rules: by the network beside their file, by the one that the program has for
/// them, or by hand-made terms.
pub fn own_evaluation(rules: &Rules) -> Evaluation {
    match beside::find(rules).and_then(|beside| beside.net.clone()) {
        Some(net) => Evaluation::with_net(HandcraftedEvaluation::best(rules), net),
        None => Evaluation::best(rules),
    }
}

/// The evaluation by the network of a file, or by hand-made terms if the file is called `none`.
///
/// # Errors
/// If the file cannot be read, or holds no network for these rules.
pub fn evaluation_with_net(rules: &Rules, file: &Path) -> Result<Evaluation> {
    let hand = HandcraftedEvaluation::best(rules);
    if file == Path::new("none") {
        return Ok(hand.into());
    }
    let net = Net::parse(&read(file, MAX_NET_BYTES)?, rules).with_context(|| file.display().to_string())?;
    Ok(Evaluation::with_net(hand, Arc::new(net)))
}

/// The handcrafted evaluation with the weights of a file.
///
/// # Errors
/// If the file cannot be read, or holds no weights for these rules.
pub fn evaluation_with_weights(rules: &Rules, file: &Path) -> Result<Evaluation> {
    let weights = Weights::parse(&read_text(file, MAX_WEIGHTS_BYTES)?, rules);
    let hand = weights.and_then(|weights| HandcraftedEvaluation::new(rules, &weights));
    Ok(hand.with_context(|| file.display().to_string())?.into())
}

/// An evaluation with the weights of a file, by name.
///
/// # Errors
/// If the file cannot be read, or holds other weights than those of the evaluation.
pub fn with_weight_list<P: Position, E: Tunable<P>>(id: &str, evaluation: E, file: &Path) -> Result<E> {
    let list = WeightList::parse(&read_text(file, MAX_WEIGHTS_BYTES)?);
    let values = list.and_then(|list| list.values(id, &evaluation.weights()));
    Ok(evaluation.with_values(&values.with_context(|| file.display().to_string())?))
}

/// The search parameters of a file.
///
/// # Errors
/// If the file cannot be read, or holds no search parameters.
pub fn search_params(file: &Path) -> Result<SearchParams> {
    let text = read_text(file, MAX_PARAMS_BYTES)?;
    SearchParams::parse(&text).map_err(|e| anyhow!("{}: {e}", file.display()))
}
