//! How much memory there is to take.

use std::fs;

/// Mebibytes that can be taken without swapping: what the kernel calls available, and no more than the
/// control group allows. `None` where the system does not say.
pub(crate) fn available_mebibytes() -> Option<u64> {
    let free = available(&fs::read_to_string("/proc/meminfo").ok()?)?;
    let number = |file: &str| fs::read_to_string(file).ok()?.trim().parse::<u64>().ok();
    let limit = number("/sys/fs/cgroup/memory.max");
    let used = number("/sys/fs/cgroup/memory.current");
    let allowed = limit.zip(used).map(|(limit, used)| limit.saturating_sub(used));
    Some(allowed.map_or(free, |allowed| allowed.min(free)) >> 20)
}

/// The bytes of the line `MemAvailable` of `/proc/meminfo`.
fn available(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meminfo_is_read() {
        let text = "MemTotal:       32 kB\nMemAvailable:       2048 kB\n";
        assert_eq!(available(text), Some(2 << 20));
        assert_eq!(available("MemTotal: 1 kB"), None);
    }
}
