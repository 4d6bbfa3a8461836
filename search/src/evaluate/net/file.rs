//! Net files; `docs/networks.md` describes the format.

use super::{
    BUCKETS, Features, MAX_IN_OUTPUTS, MAX_IN_ROWS, MAX_OUTPUT_ONE, Net, OUTPUT_ONE, PART, Part, WIDTH,
};
use jewel_engine::variant::Rules;
use thiserror::Error;

const MAGIC: [u8; 8] = *b"jewelnet";

/// The version of nets that replace the handcrafted evaluation and have the smallest unit of output weights.
const PLAIN: u32 = 1;
/// The version of all others.
const VERSION: u32 = 2;

/// The largest unit, in centipawns, and output bias.
const MAX_UNIT: u32 = 10_000;
const MAX_BIAS: i32 = 1 << 24;

/// The longest name or command, in bytes.
const MAX_TEXT_LENGTH: usize = 4096;

/// Why a file cannot be used as a game's net.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum NetError {
    /// The file is not a net, is cut off, or was changed.
    #[error("net: {0}")]
    Damaged(String),
    /// The net is for other rules.
    #[error("net: made for {found}, but {game} needs {expected}")]
    Mismatch {
        /// The game to be played.
        game: String,
        /// What the game needs.
        expected: String,
        /// What the net has.
        found: String,
    },
}

impl Net {
    /// Reads a net file and checks that it is for these rules.
    ///
    /// # Errors
    /// One line that says what is wrong.
    pub fn parse(bytes: &[u8], rules: &Rules) -> Result<Net, NetError> {
        let damaged = |what: &str| NetError::Damaged(what.to_string());
        let Some((body, checksum)) = bytes.split_last_chunk::<4>() else {
            return Err(damaged("shorter than any net file"));
        };
        let mut rest = Reader(body);
        if rest.take::<8>() != Some(MAGIC) {
            return Err(damaged("no net file: it does not begin with \"jewelnet\""));
        }
        let version = rest.number().ok_or_else(|| damaged("cut off"))?;
        if !(PLAIN..=VERSION).contains(&version) {
            return Err(NetError::Damaged(format!(
                "of version {version}, and versions {PLAIN} and {VERSION} are read"
            )));
        }
        if crc32fast::hash(body) != u32::from_le_bytes(*checksum) {
            return Err(damaged("cut off or changed: its checksum is another"));
        }
        let cut = || damaged("cut off");
        let fingerprint = u64::from_le_bytes(rest.take().ok_or_else(cut)?);
        let game = rest.text().ok_or_else(cut)?;
        let origin = rest.text().ok_or_else(cut)?;
        let [width, features, buckets, unit] =
            [rest.number(), rest.number(), rest.number(), rest.number()].map(Option::unwrap_or_default);
        let mismatch = |expected: String, found: String| {
            Err(NetError::Mismatch { game: rules.id.clone(), expected, found })
        };
        if fingerprint != rules.fingerprint {
            let named = |id: &str, print: u64| format!("the rules {print:016x} of {id:?}");
            return mismatch(named(&rules.id, rules.fingerprint), named(&game, fingerprint));
        }
        let own = Features::new(rules);
        let fits = |width: usize| width.is_multiple_of(PART) && (PART..=WIDTH).contains(&width);
        let wanted = [own.count(), BUCKETS].map(|n| n as u32);
        // Version 0.2 knew no pieces in hand, so its rows may be larger: nothing more is added to them.
        let (found, most) = if features as usize == own.on_board() {
            (wanted[0], MAX_IN_ROWS)
        } else {
            (features, own.max_in_rows())
        };
        if [found, buckets] != wanted || !fits(width as usize) {
            let named = |[f, b]: [u32; 2], w: &str| format!("{f} features, {w} neurons and {b} buckets");
            let widths: Vec<String> = (PART..=WIDTH).step_by(PART).map(|width| width.to_string()).collect();
            return mismatch(
                named(wanted, &widths.join(" or ")),
                named([features, buckets], &width.to_string()),
            );
        }
        let parts = width as usize / PART;
        if unit > MAX_UNIT {
            return Err(NetError::Damaged(format!(
                "a unit of {unit} centipawns, and {MAX_UNIT} is the most"
            )));
        }
        let mut kind = (0, OUTPUT_ONE);
        if version == VERSION {
            let [added, output_one] = [rest.number(), rest.number()].map(Option::unwrap_or_default);
            kind = (added, output_one as i32);
            let range = OUTPUT_ONE..=MAX_OUTPUT_ONE;
            let known = added <= 1 && range.contains(&kind.1) && output_one.is_power_of_two();
            // Nets that version 1 can describe are of that version.
            if !known || kind == (0, OUTPUT_ONE) {
                return Err(damaged("its kind or its unit of output weights is unknown"));
            }
        }
        let (added, output_one) = (kind.0 == 1, kind.1);
        let mut rows = |count: usize| rest.parts(count * parts).ok_or_else(cut);
        let (mut rows, bias, outputs) = (rows(features as usize)?, rows(1)?, rows(2 * BUCKETS)?);
        rows.resize(own.count() * parts, [0; PART]);
        let mut output_bias = [0; BUCKETS];
        for bias in &mut output_bias {
            *bias = rest.number().ok_or_else(cut)? as i32;
        }
        if !rest.0.is_empty() {
            return Err(NetError::Damaged(format!("{} bytes too long", rest.0.len())));
        }
        let beyond = |parts: &[Part], most: i16| {
            parts.iter().flatten().any(|weight| weight.unsigned_abs() > most.unsigned_abs())
        };
        if beyond(&rows, most)
            || beyond(&bias, most)
            || beyond(&outputs, MAX_IN_OUTPUTS)
            || output_bias.iter().any(|bias| bias.unsigned_abs() > MAX_BIAS.unsigned_abs())
        {
            return Err(damaged("a weight is larger than sums have room for"));
        }
        Ok(Net {
            game,
            fingerprint,
            origin,
            unit,
            added,
            output_one,
            parts,
            features: own,
            rows,
            bias,
            outputs,
            output_bias,
        })
    }

    /// The bytes of a net file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        let plain = !self.added && self.output_one == OUTPUT_ONE;
        bytes.extend(if plain { PLAIN } else { VERSION }.to_le_bytes());
        bytes.extend(self.fingerprint.to_le_bytes());
        for text in [&self.game, &self.origin] {
            let text = &text.as_bytes()[..text.floor_char_boundary(MAX_TEXT_LENGTH)];
            bytes.extend((text.len() as u32).to_le_bytes());
            bytes.extend(text);
        }
        for number in [self.neurons() as u32, self.features.count() as u32, BUCKETS as u32, self.unit] {
            bytes.extend(number.to_le_bytes());
        }
        if !plain {
            bytes.extend(u32::from(self.added).to_le_bytes());
            bytes.extend(self.output_one.to_le_bytes());
        }
        let parts = self.rows.iter().chain(&self.bias).chain(&self.outputs);
        parts.flatten().for_each(|weight| bytes.extend(weight.to_le_bytes()));
        self.output_bias.iter().for_each(|bias| bytes.extend(bias.to_le_bytes()));
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        bytes
    }
}

/// The rest of a file.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*first)
    }

    fn number(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn text(&mut self) -> Option<String> {
        let length = usize::try_from(self.number()?).ok().filter(|&length| length <= MAX_TEXT_LENGTH)?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        String::from_utf8(text.to_vec()).ok()
    }

    fn parts(&mut self, count: usize) -> Option<Vec<Part>> {
        let mut part = || {
            let mut part = [0; PART];
            for weight in &mut part {
                *weight = i16::from_le_bytes(self.take()?);
            }
            Some(part)
        };
        (0..count).map(|_| part()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{narrowed, random_net};
    use super::*;
    use jewel_engine::games::find;
    use proptest::prelude::*;
    use proptest::test_runner::{Config, RngSeed, TestRunner};

    fn rules(id: &str) -> &'static Rules {
        find(id).unwrap().rules()
    }

    /// The bytes with the checksum that belongs to them.
    fn signed(mut body: Vec<u8>) -> Vec<u8> {
        body.extend(crc32fast::hash(&body).to_le_bytes());
        body
    }

    fn refusal(bytes: &[u8], rules: &Rules) -> String {
        let text = Net::parse(bytes, rules).unwrap_err().to_string();
        assert!(text.starts_with("net: ") && !text.contains('\n'), "{text}");
        text
    }

    #[test]
    fn a_net_survives_its_file() {
        for id in ["ambush", "diamond-chess"] {
            let mut net = random_net(rules(id), 7);
            let bytes = net.to_bytes();
            assert_eq!(Net::parse(&bytes, rules(id)).unwrap(), net);
            assert_eq!(Net::parse(&bytes, rules(id)).unwrap().to_bytes(), bytes);
            // Where it is added to the handcrafted evaluation, and where its output weights are finer.
            for (added, output_one) in [(true, OUTPUT_ONE), (false, 2 * OUTPUT_ONE), (true, MAX_OUTPUT_ONE)] {
                let other = Net { added, output_one, ..net.clone() };
                let bytes = other.to_bytes();
                assert_eq!(Net::parse(&bytes, rules(id)).unwrap(), other);
                assert_eq!(Net::parse(&bytes, rules(id)).unwrap().to_bytes(), bytes);
            }
            // A narrow one has a part of each row.
            net = narrowed(net, 1);
            let narrow = net.to_bytes();
            assert_eq!(bytes.len() - narrow.len(), 2 * (WIDTH - PART) * (net.rows.len() + 1 + 2 * BUCKETS));
            assert_eq!(Net::parse(&narrow, rules(id)).unwrap(), net);
        }
    }

    #[test]
    fn a_net_that_knows_no_hands_says_nothing_of_them() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/variants/dobutsu.toml");
        let rules = Rules::parse(&std::fs::read_to_string(file).unwrap()).unwrap();
        let net = random_net(&rules, 7);
        assert_eq!(Net::parse(&net.to_bytes(), &rules).unwrap(), net);
        let mut silent = net.clone();
        let board = silent.features.on_board() * silent.parts;
        assert!(board < silent.rows.len());
        silent.rows[board..].fill([0; PART]);
        // Larger than a weight may be beside full hands.
        silent.rows[0][0] = MAX_IN_ROWS;
        // As a file of a version that had no such rows.
        let bytes = silent.to_bytes();
        let counts = 8 + 4 + 8 + 2 * 4 + net.game.len() + net.origin.len() + 4;
        let mut old = bytes[..bytes.len() - 4].to_vec();
        old[counts..counts + 4].copy_from_slice(&(net.features.on_board() as u32).to_le_bytes());
        let rows = counts + 3 * 4;
        old.drain(rows + 2 * PART * board..rows + 2 * PART * net.rows.len());
        assert_eq!(Net::parse(&signed(old), &rules).unwrap(), silent);
    }

    #[test]
    fn nets_for_other_rules_or_damaged_ones_are_refused() {
        let ambush = rules("ambush");
        let bytes = random_net(ambush, 7).to_bytes();
        let other = refusal(&bytes, rules("diamond-chess"));
        assert!(other.contains("\"ambush\"") && other.contains("diamond-chess needs"), "{other}");
        assert!(refusal(&[], ambush).contains("shorter"));
        assert!(refusal(b"{\"game\": 1}", ambush).contains("does not begin"));
        let mut changed = bytes.clone();
        changed[500] ^= 1;
        assert!(refusal(&changed, ambush).contains("checksum"));
        assert!(refusal(&bytes[..900], ambush).contains("checksum"));
        let body = &bytes[..bytes.len() - 4];
        let mut newer = body.to_vec();
        newer[8] = 3;
        assert!(refusal(&signed(newer), ambush).contains("version 3"));
        assert!(refusal(&signed(body[..900].to_vec()), ambush).contains("cut off"));
        let mut longer = body.to_vec();
        longer.push(0);
        assert!(refusal(&signed(longer), ambush).contains("1 bytes too long"));
        let mut large = random_net(ambush, 7);
        large.rows[13][5] = MAX_IN_ROWS + 1;
        assert!(refusal(&large.to_bytes(), ambush).contains("larger"));
        large = random_net(ambush, 7);
        large.outputs[9][2] = -MAX_IN_OUTPUTS - 1;
        assert!(refusal(&large.to_bytes(), ambush).contains("larger"));
        large = random_net(ambush, 7);
        large.unit = MAX_UNIT + 1;
        assert!(refusal(&large.to_bytes(), ambush).contains("unit"));
        for output_one in [0, 63, 65, 2 * MAX_OUTPUT_ONE, -64] {
            let other = Net { added: true, output_one, ..random_net(ambush, 7) };
            assert!(refusal(&other.to_bytes(), ambush).contains("unit of output weights"));
        }
        // Where the width stands: after magic, version, fingerprint and two texts.
        let width = 8 + 4 + 8 + 4 + "ambush".len() + 4 + "by chance".len();
        for neurons in [0_u32, 32, 129, 384] {
            let mut other = body.to_vec();
            other[width..][..4].copy_from_slice(&neurons.to_le_bytes());
            let line = refusal(&signed(other), ambush);
            assert!(
                line.contains(&format!(", {neurons} neurons")) && line.contains("64 or 128 or 192 or 256"),
                "{line}"
            );
        }
    }

    #[test]
    fn no_bytes_make_it_panic() {
        let ambush = rules("ambush");
        let plain = random_net(ambush, 7);
        for net in [Net { added: true, output_one: 128, ..plain.clone() }, plain] {
            changed_bytes_do_not_make_it_panic(&net.to_bytes(), ambush);
        }
    }

    fn changed_bytes_do_not_make_it_panic(good: &[u8], ambush: &Rules) {
        let body = good.len() - 4;
        let config = Config { rng_seed: RngSeed::Fixed(9), cases: 300, ..Config::default() };
        let changes = proptest::collection::vec((0..body, any::<u8>()), 0..4);
        let all = (changes, prop_oneof![0..body, Just(body)], 0..200usize);
        let test = |(changes, length, head): (Vec<(usize, u8)>, usize, usize)| {
            let mut bytes = good[..body].to_vec();
            for (at, byte) in changes {
                // Half of them where the lengths are.
                bytes[if at % 2 == 0 { at } else { at % head.max(1) }] = byte;
            }
            bytes.truncate(length);
            if let Ok(net) = Net::parse(&signed(bytes.clone()), ambush) {
                prop_assert_eq!(net.to_bytes(), signed(bytes));
            }
            Ok(())
        };
        TestRunner::new(config).run(&all, test).unwrap();
    }
}
