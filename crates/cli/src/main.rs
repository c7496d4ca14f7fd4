//! The program `thetis`.

use std::io::Write;

use thetis_cli::{Exit, cli};

/// Models nest deeply; the work runs on a thread that does not mind.
const STACK: usize = 256 * 1024 * 1024;

fn main() {
    std::panic::set_hook(Box::new(|panic| {
        let _ = writeln!(std::io::stderr(), "internal error: {panic}\n{}", thetis_cli::exit::REPORT);
    }));
    let work = || cli::main(std::env::args_os());
    let thread = |stack| std::thread::Builder::new().name("thetis".to_owned()).stack_size(stack).spawn(work);
    let exit = match thread(STACK).or_else(|_| thread(STACK / 16)) {
        Ok(thread) => thread.join().unwrap_or(Exit::Internal),
        Err(_) => work(),
    };
    // A search that somebody else has answered may still be at work in a thread of its own.
    thetis_cli::exit::leave(exit);
}
