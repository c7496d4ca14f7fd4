//! Networks of timed automata made on the fly: families from the literature that grow with the number
//! of their processes. Without a question, the whole space is explored.

use std::fmt::Write;

/// Fischer's protocol: who has waited longer than writing may take, and still reads its own number, has
/// the section for itself.
pub fn fischer(n: usize) -> String {
    format!(
        "const int N = {n};
const int DELAY = 10;
typedef int[1, N] Pid;
int[0, N] turn;
process Station(const Pid me) {{
  clock x;
  state Idle, Writing {{ x <= DELAY }}, Waiting, Critical;
  init Idle;
  trans
    Idle -> Writing {{ guard turn == 0; assign x = 0; }},
    Writing -> Waiting {{ guard x <= DELAY; assign x = 0, turn = me; }},
    Waiting -> Writing {{ guard turn == 0; assign x = 0; }},
    Waiting -> Critical {{ guard x > DELAY && turn == me; }},
    Critical -> Idle {{ assign turn = 0; }};
}}
system Station;
"
    )
}

/// Carrier sense multiple access with collision detection: stations on a bus whose signals need time.
pub fn csmacd(n: usize) -> String {
    format!(
        "const int N = {n};
const int LENGTH = 808, SIGNAL = 26;
typedef int[1, N] Pid;
chan begin, busy, end, collide[Pid];
process Bus() {{
  int[1, N + 1] next = 1;
  clock y;
  state Free, Taken, Clash {{ y < SIGNAL }}, Telling;
  commit Telling;
  init Free;
  trans
    Free -> Taken {{ sync begin!; assign y = 0; }},
    Taken -> Clash {{ guard y < SIGNAL; sync begin!; assign y = 0; }},
    Taken -> Taken {{ guard y >= SIGNAL; sync busy!; }},
    Taken -> Free {{ sync end!; assign y = 0; }},
    Clash -> Telling {{ guard y < SIGNAL; assign next = 1; }},
    Telling -> Free {{ guard next == N + 1 && y < SIGNAL; assign y = 0, next = 1; }},
    Telling -> Telling {{ select to : Pid; guard next == to; sync collide[to]!; assign next++; }};
}}
process Station(const Pid me) {{
  clock x;
  state Quiet, Sending {{ x <= LENGTH }}, Again {{ x < 2 * SIGNAL }};
  init Quiet;
  trans
    Quiet -> Sending {{ sync begin?; assign x = 0; }},
    Quiet -> Again {{ sync busy?; assign x = 0; }},
    Quiet -> Quiet {{ sync collide[me]?; assign x = 0; }},
    Quiet -> Again {{ sync collide[me]?; assign x = 0; }},
    Sending -> Quiet {{ guard x == LENGTH; sync end?; assign x = 0; }},
    Sending -> Again {{ guard x < SIGNAL; sync collide[me]?; assign x = 0; }},
    Again -> Sending {{ guard x < 2 * SIGNAL; sync begin?; assign x = 0; }},
    Again -> Again {{ guard x < 2 * SIGNAL; sync busy?; assign x = 0; }},
    Again -> Again {{ guard x < 2 * SIGNAL; sync collide[me]?; assign x = 0; }};
}}
system Bus, Station;
"
    )
}

/// A token ring after the fibre distributed data interface: whoever gets the token sends for a while,
/// and longer if the token came early. Three clocks for each station.
pub fn fddi(n: usize) -> String {
    let rotation = 50 * n;
    let mut text = format!(
        "const int N = {n};
const int ROTATION = {rotation}, SEND = 20, HOP = 0;
typedef int[1, N] Pid;
chan take[Pid], give[Pid];
process Station(const Pid me) {{
  clock round, even, odd;
  state IdleA, LateA {{ round <= SEND }}, EarlyA {{ round <= SEND }}, MoreA {{ even <= ROTATION + SEND }},
        IdleB, LateB {{ round <= SEND }}, EarlyB {{ round <= SEND }}, MoreB {{ odd <= ROTATION + SEND }};
  init IdleA;
  trans
    IdleA -> LateA {{ guard round >= ROTATION; sync take[me]; assign round = 0, odd = 0; }},
    IdleA -> EarlyA {{ guard round < ROTATION; sync take[me]; assign round = 0, odd = 0; }},
    LateA -> IdleB {{ guard round == SEND; sync give[me]; }},
    EarlyA -> MoreA {{ guard round == SEND; }},
    MoreA -> IdleB {{ sync give[me]; }},
    IdleB -> LateB {{ guard round >= ROTATION; sync take[me]; assign round = 0, even = 0; }},
    IdleB -> EarlyB {{ guard round < ROTATION; sync take[me]; assign round = 0, even = 0; }},
    LateB -> IdleA {{ guard round == SEND; sync give[me]; }},
    EarlyB -> MoreB {{ guard round == SEND; }},
    MoreB -> IdleA {{ sync give[me]; }};
}}
process Ring() {{
  clock t;
  state "
    );
    let states: Vec<String> = (1..=n).map(|i| format!("To{i} {{ t <= HOP }}, At{i}")).collect();
    let _ = write!(text, "{};\n  init To1;\n  trans", states.join(", "));
    for i in 1..=n {
        let (next, end) = if i == n { (1, ';') } else { (i + 1, ',') };
        let _ = write!(text, "\n    To{i} -> At{i} {{ guard t == HOP; sync take[{i}]; }},");
        let _ = write!(text, "\n    At{i} -> To{next} {{ sync give[{i}]; assign t = 0; }}{end}");
    }
    text + "\n}\nsystem Ring, Station;\n"
}

/// Cells that test a part within bounds on time and take turns at a region, each by an arbiter.
pub fn critical_region(n: usize) -> String {
    let mut text = format!(
        "const int N = {n};
const int T = 10;
typedef int[1, N] Pid;
chan enter[Pid], leave[Pid];
int[0, N] turn;
process Counter() {{
  state Off, On;
  init Off;
  trans
    Off -> On {{ guard turn == 0; assign turn = 1; }},
    On -> On {{ guard turn < N; assign turn++; }},
    On -> On {{ guard turn == N; assign turn = 1; }};
}}
process Arbiter(const Pid me) {{
  state Free, Given;
  init Free;
  trans
    Free -> Given {{ guard turn == me; sync enter[me]; assign turn = 0; }},
    Given -> Free {{ sync leave[me]; assign turn = me; }};
}}
process Cell(const Pid me) {{
  clock x;
  state Idle, First {{ x <= T }}, Asking, Inside {{ x <= 2 * T }}, Second {{ x <= T }}, Done, Failed;
  init Idle;
  trans
    Idle -> First {{ guard x <= 2 * T; assign x = 0; }},
    First -> Idle {{ guard x >= T; assign x = 0; }},
    First -> Asking {{ guard x <= T - 1; }},
    Asking -> Inside {{ sync enter[me]; assign x = 0; }},
    Inside -> Failed {{ guard x >= 2 * T; }},
    Inside -> Second {{ guard x <= T - 1; sync leave[me]; assign x = 0; }},
    Second -> Failed {{ guard x >= T; }},
    Second -> Done {{ guard x <= T - 1; }};
}}
"
    );
    let mut line = String::from("system Counter");
    for i in 1..=n {
        let _ = write!(text, "A{i} = Arbiter({i});\nC{i} = Cell({i});\n");
        let _ = write!(line, ", A{i}, C{i}");
    }
    text + &line + ";\n"
}

/// Trains before a bridge with one track, and a gate that keeps them in a queue.
pub fn train_gate(n: usize) -> String {
    let ones = vec!["1"; n].join(", ");
    format!(
        "const int N = {n};
typedef int[1, N] Pid;
chan come[Pid], stop[Pid], go[Pid], leave[Pid];
process Gate() {{
  Pid queue[N] = {{ {ones} }};
  int[0, N - 1] head;
  int[0, N] length;
  state Free, Taken, Stopping;
  commit Stopping;
  init Free;
  trans
    Free -> Taken {{ select who : Pid; guard length > 0 && queue[head] == who; sync go[who]; }},
    Free -> Taken {{ select who : Pid; guard length == 0; sync come[who];
                     assign queue[(head + length) % N] = who, length++; }},
    Taken -> Stopping {{ select who : Pid; sync come[who];
                         assign queue[(head + length) % N] = who, length++; }},
    Taken -> Free {{ select who : Pid; guard length > 0 && queue[head] == who; sync leave[who];
                     assign head = (head + 1) % N, length--; }},
    Stopping -> Taken {{ select who : Pid; guard length > 0 && queue[(head + length - 1) % N] == who;
                         sync stop[who]; }};
}}
process Train(const Pid me) {{
  clock x;
  state Away, Near {{ x <= 20 }}, Halted, Starting {{ x <= 15 }}, Crossing {{ x <= 5 }};
  init Away;
  trans
    Away -> Near {{ sync come[me]; assign x = 0; }},
    Near -> Crossing {{ guard x >= 10; assign x = 0; }},
    Near -> Halted {{ guard x <= 10; sync stop[me]; }},
    Halted -> Starting {{ sync go[me]; assign x = 0; }},
    Starting -> Crossing {{ guard x >= 7; assign x = 0; }},
    Crossing -> Away {{ guard x >= 3; sync leave[me]; }};
}}
system Gate, Train;
"
    )
}
