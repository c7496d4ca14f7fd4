//! The machines on which jobs ran: what a reader has to know to judge times.
//!
//! Whoever runs jobs writes down its machine once, in a file of the folder that is called as the machine is.

use serde::{Deserialize, Serialize};

/// A machine.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Machine {
    /// What it is called.
    pub host: String,
    /// The model of its processor.
    pub processor: String,
    /// How many cores this program may use there.
    pub cores: usize,
    /// Memory, in millions of bytes.
    pub memory_mb: u64,
    /// Its operating system, with the version of the kernel.
    pub kernel: String,
    /// What the program solves with, and its version.
    pub solver: String,
}

#[cfg(target_os = "linux")]
impl Machine {
    /// This one.
    pub fn here(solver: String) -> Machine {
        let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let system = rustix::system::uname();
        let text = |part: &std::ffi::CStr| part.to_string_lossy().into_owned();
        let kilobytes = field(&read("/proc/meminfo"), "MemTotal").and_then(|value| {
            let digits = value.split_whitespace().next()?;
            digits.parse::<u64>().ok()
        });
        Machine {
            host: host(),
            processor: field(&read("/proc/cpuinfo"), "model name").unwrap_or_else(|| text(system.machine())),
            cores: crate::backend::local::cores().len(),
            memory_mb: kilobytes.unwrap_or(0) * 1024 / 1_000_000,
            kernel: format!("{} {}", text(system.sysname()), text(system.release())),
            solver,
        }
    }
}

/// The name of this machine.
#[cfg(target_os = "linux")]
pub fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// The first value of a key in lines `key: value`.
#[cfg(target_os = "linux")]
fn field(text: &str, key: &str) -> Option<String> {
    let mut pairs = text.lines().filter_map(|line| line.split_once(':'));
    pairs.find(|(name, _)| name.trim() == key).map(|(_, value)| value.trim().to_owned())
}

#[cfg(test)]
mod tests {
    #[test]
    #[cfg(target_os = "linux")]
    fn this_machine_is_known() {
        let here = super::Machine::here("z3 1.2".to_owned());
        assert!(here.cores > 0 && here.memory_mb > 0 && here.kernel.starts_with("Linux "), "{here:?}");
        let text = "a b\t: 1\nmodel name\t: x: y\n";
        assert_eq!(super::field(text, "model name").as_deref(), Some("x: y"));
    }
}
