//! The commands and their options, each defined and documented here and nowhere else.

use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use engine::{Config, Engine, Search};

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::limits::{self, Limits};
use crate::simulate::Simulator;
use crate::trace::{self, CheckStates, cex, dot, itf, table};
use crate::{check, convert, info, load, simulate, validate};

/// Thetis checks models of reactive and real-time systems.
#[derive(Parser, Debug)]
#[command(name = "thetis", version, max_term_width = 100, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "\
Exit codes: 0 holds, 1 violated, 2 bad input or usage, 3 unknown, 4 internal error.
Try: thetis check examples/traffic_light.xsts";

#[derive(Subcommand, Debug)]
enum Command {
    /// Decide whether properties hold, and show why not
    Check(CheckArgs),
    /// Step through a model by hand, by chance, or along a trace
    Simulate(SimulateArgs),
    /// Show, replay or export a trace
    #[command(subcommand)]
    Trace(TraceCommand),
    /// Say what is in a model
    Info(InfoArgs),
    /// Convert a model to another format or into normal form
    Convert(ConvertArgs),
    /// Check a trace or a certificate without any engine
    Validate(ValidateArgs),
    /// Print the manual
    #[command(hide = true)]
    Manual,
}

/// The verdict is the first line on stdout: `holds`, `violated` or `unknown (reason)`; with several
/// properties there is one such line for each. A violated property is followed by the steps that
/// violate it. Every verdict has been checked independently of the search before it is printed.
#[derive(Args, Debug)]
#[command(after_help = "Example: thetis check examples/traffic_light.xsts -p 'car != Green || walk != Walk'")]
struct CheckArgs {
    /// The model
    model: PathBuf,
    /// An expression that is to hold in every state; replaces the model's own `prop`
    #[arg(short, long = "property", value_name = "PROP")]
    property: Vec<String>,
    /// A file with a property: `prop { … }` or an expression
    #[arg(long, value_name = "FILE")]
    property_file: Vec<PathBuf>,
    /// Check every property: the model's own and all that are given
    #[arg(long)]
    all: bool,
    /// The algorithm: explicit
    #[arg(long, default_value_t, value_name = "ENGINE")]
    engine: Engine,
    /// The order of the search: bfs (shortest runs) or dfs
    #[arg(long, default_value_t, value_name = "ORDER")]
    search: Search,
    /// Stop after this time, for example 500ms, 60s, 2m
    #[arg(long, value_name = "TIME", value_parser = limits::duration)]
    timeout: Option<Duration>,
    /// Stop when the program uses this much memory, for example 500MB, 4GB
    #[arg(long, value_name = "SIZE", value_parser = limits::size)]
    memory_limit: Option<u64>,
    /// Stop after storing so many states
    #[arg(long, value_name = "N")]
    state_limit: Option<u64>,
    /// Write the run that decides the property as JSON; several properties get numbered files
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Write the certificate of a property that holds as JSON; several get numbered files
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Believe the search; verdicts then say `(not certified)`
    #[arg(long)]
    no_certify: bool,
    /// Which states properties look at: all, or only those after init and after trans
    #[arg(long, value_enum, default_value_t, value_name = "WHICH")]
    check_states: CheckStates,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Commands are read from the terminal or from a pipe: a number takes that step, `r` a random one, `b`
/// goes back, `s` shows the state, `h` lists the others. Values and delays that the model leaves open
/// are asked for.
#[derive(Args, Debug)]
#[command(after_help = "Example: thetis simulate examples/thermostat.xsts --random --seed 7 --steps 10")]
struct SimulateArgs {
    /// The model
    model: PathBuf,
    /// Take random steps
    #[arg(long)]
    random: bool,
    /// Where random choices start; the same seed gives the same run
    #[arg(long, value_name = "N", default_value_t = 0, requires = "random")]
    seed: u64,
    /// How many random steps
    #[arg(long, value_name = "K", default_value_t = 20, requires = "random")]
    steps: usize,
    /// Follow this trace first
    #[arg(long, value_name = "TRACE")]
    follow: Option<PathBuf>,
    /// Write the run as JSON at the end
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Print the run as JSON at the end
    #[arg(long)]
    json: bool,
}

#[derive(Subcommand, Debug)]
enum TraceCommand {
    /// Show a trace: what happened in each step, and what it changed
    #[command(after_help = "Example: thetis trace show trace.json --full")]
    Show {
        /// The trace
        file: PathBuf,
        /// Every variable in every state
        #[arg(long)]
        full: bool,
        /// Print the trace as JSON
        #[arg(long)]
        json: bool,
    },
    /// Execute a trace again, step by step
    #[command(after_help = "Example: thetis trace replay examples/traffic_light.xsts trace.json")]
    Replay {
        /// The model
        model: PathBuf,
        /// The trace
        file: PathBuf,
        /// Print the trace as JSON
        #[arg(long)]
        json: bool,
    },
    /// Write a trace in another format
    #[command(after_help = "Example: thetis trace export trace.json --format dot -o trace.dot")]
    Export {
        /// The trace
        file: PathBuf,
        /// The format
        #[arg(long, value_enum)]
        format: TraceFormat,
        /// Where to; stdout if not given
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
        /// The same as --format json
        #[arg(long, conflicts_with = "format", hide = true)]
        json: bool,
    },
}

#[derive(Copy, Clone, Debug, ValueEnum)]
enum TraceFormat {
    /// Thetis' own
    Json,
    /// A picture for Graphviz
    Dot,
    /// The Informal Trace Format
    Itf,
    /// The counterexample text of the original xsts tool
    XstsCex,
}

/// Variables by type, enumerations, sections, places that may go wrong, features used.
#[derive(Args, Debug)]
#[command(after_help = "Example: thetis info examples/traffic_light.xsts")]
struct InfoArgs {
    /// The model
    model: PathBuf,
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

/// XSTS can be brought into normal form: current spelling, one statement on each line.
#[derive(Args, Debug)]
#[command(after_help = "Example: thetis convert examples/traffic_light.xsts -")]
struct ConvertArgs {
    /// The model
    input: PathBuf,
    /// Where to, by extension; `-` for stdout
    output: PathBuf,
    /// Print errors as JSON
    #[arg(long)]
    json: bool,
}

/// Re-executes a trace step by step, or checks that the states of a certificate contain every initial
/// state and every successor. Exit code 0 if the file is right, 2 if it is not.
#[derive(Args, Debug)]
#[command(after_help = "Example: thetis validate examples/traffic_light.xsts trace.json")]
struct ValidateArgs {
    /// The model
    model: PathBuf,
    /// The trace or certificate
    file: PathBuf,
    /// The property it is to be about, instead of the one it names
    #[arg(short, long, value_name = "PROP")]
    property: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Runs the program with these arguments, the first of which is its name.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> Exit {
    let console = Console::new();
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are what was asked for; everything else is bad usage.
            let _ = error.print();
            let _ = std::io::stdout().flush();
            return match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Exit::Holds,
                _ => Exit::Input,
            };
        }
    };
    let json = cli.command.json();
    match run(cli.command, &console) {
        Ok(exit) => exit,
        Err(failure @ Failure::Unknown(_)) => {
            if json {
                console.json(&failure.json());
            } else {
                console.line(&failure);
            }
            failure.exit()
        }
        Err(failure) => {
            if json {
                console.json(&failure.json());
            }
            console.note(&failure);
            failure.exit()
        }
    }
}

impl Command {
    fn json(&self) -> bool {
        match self {
            Command::Check(args) => args.json,
            Command::Simulate(args) => args.json,
            Command::Trace(
                TraceCommand::Show { json, .. }
                | TraceCommand::Replay { json, .. }
                | TraceCommand::Export { json, .. },
            ) => *json,
            Command::Info(args) => args.json,
            Command::Convert(args) => args.json,
            Command::Validate(args) => args.json,
            Command::Manual => false,
        }
    }
}

fn run(command: Command, console: &Console) -> Result<Exit, Failure> {
    match command {
        Command::Check(args) => {
            let options = check::Options {
                properties: args.property,
                property_files: args.property_file,
                all: args.all,
                config: Config { engine: args.engine, search: args.search, state_limit: args.state_limit },
                limits: Limits { timeout: args.timeout, memory: args.memory_limit },
                trace: args.trace,
                certificate: args.certificate,
                certify: !args.no_certify,
                check_states: args.check_states,
                json: args.json,
            };
            check::run(&args.model, &options, console)
        }
        Command::Simulate(args) => {
            let options = simulate::Options {
                random: args.random.then_some((args.seed, args.steps)),
                follow: args.follow,
                trace: args.trace,
                json: args.json,
                interactive: std::io::stdin().is_terminal(),
            };
            simulate::run(load::load(&args.model, console)?, &options, console)
        }
        Command::Trace(command) => run_trace(command, console),
        Command::Info(args) => info::run(&load::load(&args.model, console)?, args.json, console),
        Command::Convert(args) => convert::run(&args.input, &args.output, console),
        Command::Validate(args) => {
            let loaded = load::load(&args.model, console)?;
            validate::run(loaded, &args.file, args.property.as_deref(), args.json, console)
        }
        Command::Manual => {
            console.print(manual());
            Ok(Exit::Holds)
        }
    }
}

fn run_trace(command: TraceCommand, console: &Console) -> Result<Exit, Failure> {
    match command {
        TraceCommand::Show { file, full, json } => {
            let trace = trace::read(&file)?;
            if json {
                console.json(&trace);
            } else {
                console.print(table::render(&trace, full));
            }
        }
        TraceCommand::Replay { model, file, json } => {
            let loaded = load::load(&model, console)?;
            let trace = trace::read(&file)?;
            let mut simulator = Simulator::new(loaded.model.system, loaded.source);
            let show = |text: String| {
                if !json {
                    console.print(text)
                }
            };
            simulator.follow(&trace, show).map_err(|why| {
                Failure::Input(format!("`{}` does not fit `{}`: {why}", file.display(), model.display()))
            })?;
            if json {
                console.json(&simulator.trace());
            } else {
                console
                    .line(format!("replayed: every one of the {} steps fits the model", trace.steps.len()));
            }
        }
        TraceCommand::Export { file, format, output, .. } => {
            let trace = trace::read(&file)?;
            let text = match format {
                TraceFormat::Json => pretty(&trace),
                TraceFormat::Dot => dot::render(&trace),
                TraceFormat::Itf => pretty(&itf::render(&trace)),
                TraceFormat::XstsCex => cex::render(&trace).map_err(|why| {
                    Failure::Input(format!("`{}` cannot be exported: {why}", file.display()))
                })?,
            };
            match output {
                Some(path) => trace::create(&path, |out| out.write_all(text.as_bytes()))?,
                None => console.print(text),
            }
        }
    }
    Ok(Exit::Holds)
}

fn pretty(value: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(value).expect("plain data") + "\n"
}

/// The manual page `docs/cli.md`, made from the definitions above.
pub fn manual() -> String {
    let mut text =
        String::from("# The command line\n\n<!-- Made by `thetis manual`; a test compares the two. -->\n\n");
    let mut root = Cli::command().term_width(100);
    root.build();
    let mut page = |title: &str, command: &clap::Command| {
        let help = command.clone().render_long_help().to_string();
        let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
        text += &format!("## {title}\n\n```text\n{}\n```\n\n", lines.join("\n").trim_end());
    };
    page("thetis", &root);
    for command in
        root.get_subcommands().filter(|command| !command.is_hide_set() && command.get_name() != "help")
    {
        page(&format!("thetis {}", command.get_name()), command);
        for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
            page(&format!("thetis {} {}", command.get_name(), inner.get_name()), inner);
        }
    }
    text.trim_end().to_owned() + "\n"
}
