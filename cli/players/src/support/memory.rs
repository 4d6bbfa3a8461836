//! Free memory, and sizes as they are typed.

use std::fs;

/// Mebibytes that can be taken without swapping: what the kernel calls available, and no more than the
/// control group allows. `None` where the system does not say.
pub fn available_mebibytes() -> Option<u64> {
    let free = available(&fs::read_to_string("/proc/meminfo").ok()?)?;
    let number = |file: &str| fs::read_to_string(file).ok()?.trim().parse::<u64>().ok();
    let limit = number("/sys/fs/cgroup/memory.max");
    let used = number("/sys/fs/cgroup/memory.current");
    let allowed = limit.zip(used).map(|(limit, used)| limit.saturating_sub(used));
    Some(allowed.map_or(free, |allowed| allowed.min(free)) >> 20)
}

/// The bytes that may be taken: those that were asked for, or 80% of what is free.
pub fn limit(asked: Option<u64>) -> u64 {
    // A system that does not say what is free has 4 GiB at least.
    let free = || available_mebibytes().map_or(4 << 30, |free| (free << 20) / 5 * 4);
    asked.unwrap_or_else(free)
}

/// The bytes of the line `MemAvailable` of `/proc/meminfo`.
pub fn available(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// The units of sizes: powers of 1024.
const UNITS: [char; 5] = ['K', 'M', 'G', 'T', 'P'];

/// The bytes of a size such as `500M`, `16G` or `4GiB`; a plain number counts mebibytes.
///
/// # Errors
/// What would be right.
pub fn parse_size(typed: &str) -> Result<u64, String> {
    let problem = || {
        format!(
            "\"{typed}\" is not a size: write mebibytes, or a whole number with K, M, G or T, such as 500M"
        )
    };
    let upper = typed.trim().to_ascii_uppercase();
    let short = upper.strip_suffix("IB").or(upper.strip_suffix('B')).unwrap_or(&upper);
    let unit = UNITS.iter().position(|unit| short.ends_with(*unit));
    let digits = if unit.is_some() { &short[..short.len() - 1] } else { short };
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(problem());
    }
    let factor = match unit {
        Some(n) => 1_u64 << (10 * (n + 1)),
        None if short.len() < upper.len() => 1,
        None => 1 << 20,
    };
    let bytes = digits.parse::<u64>().ok().and_then(|n| n.checked_mul(factor)).ok_or_else(problem)?;
    if bytes == 0 { Err(problem()) } else { Ok(bytes) }
}

/// A size in the largest unit that leaves three digits or so, at least kibibytes, rounded up: `parse_size` reads it
/// back as that many bytes or slightly more.
pub fn size_text(bytes: u64) -> String {
    let large = UNITS.iter().enumerate().rev().find(|(n, _)| bytes >= 100 << (10 * (n + 1)));
    let (n, unit) = large.unwrap_or((0, &UNITS[0]));
    format!("{}{unit}", bytes.div_ceil(1 << (10 * (n + 1))))
}
