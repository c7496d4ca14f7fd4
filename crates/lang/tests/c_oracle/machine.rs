//! A lowered program, executed by the plain interpreter.

use ir::interp::Interp;
use ir::{State, Value};
use thetis_lang::Reading;
use thetis_lang::c::{self, DataModel};

/// The value of a variable by its name, as text.
pub type Lookup = Box<dyn Fn(&str) -> Option<String>>;

/// How a program ends.
pub enum End {
    /// With values of variables, by name.
    Values(Lookup),
    /// In this way.
    Fault(String),
}

/// No program of the generator runs longer.
const MAX_STEPS: usize = 200_000;

/// Runs a program to its end.
pub fn run(text: &str, model: DataModel) -> Result<End, String> {
    let reading = Reading { data_model: model, ..Reading::default() };
    let loaded = c::load(text, &reading).map_err(|errors| {
        let errors: Vec<String> = errors.iter().map(|error| error.message.clone()).collect();
        errors.join("; ")
    })?;
    let mut system = loaded.system;
    let start = ir::initial(&mut system);
    let mut interp = Interp::new(&system, None);
    let first = interp.first(start, &system.arbitrary_state(), None, |_| true);
    let first = first.map_err(|why| format!("{why:?}"))?.ok_or("no initial state")?;
    let mut state = State { locations: system.initial_locations(), values: first.values };
    for _ in 0..MAX_STEPS {
        let actions = ir::actions(&mut system, &state.locations);
        let mut interp = Interp::new(&system, None);
        let mut next = None;
        for action in &actions {
            let found =
                interp.first(action.stmt, &state, None, |_| true).map_err(|why| format!("{why:?}"))?;
            if let Some(outcome) = found {
                if next.is_some() {
                    return Err("there are two ways to go on".to_owned());
                }
                next = Some(State { locations: action.target.clone(), values: outcome.values });
            }
        }
        match next {
            Some(next) => state = next,
            None => {
                return Ok(match system.fault_of(&state) {
                    Some(fault) => End::Fault(system.faults[fault].kind.to_string()),
                    None => {
                        let at = &system.processes.iter().next().expect("one").locations[state.locations[0]];
                        if at.name != "end" {
                            return Err(format!("the program is stuck at {}", at.name));
                        }
                        End::Values(values(system, state))
                    }
                });
            }
        }
    }
    Err("the program does not end".to_owned())
}

/// Looks values up: `x`, `s.f`, `a[1]`, `a[1].f`, where the last is an element of `a.f`.
fn values(system: ir::System, state: State) -> Lookup {
    Box::new(move |name: &str| {
        let mut plain = String::new();
        let mut index: Option<i64> = None;
        let mut rest = name;
        while let Some(open) = rest.find('[') {
            plain.push_str(&rest[..open]);
            let close = rest.find(']').expect("a bracket closes");
            index = Some(rest[open + 1..close].parse().expect("a number"));
            rest = &rest[close + 1..];
        }
        plain.push_str(rest);
        let (slot, _) = system.state_vars().enumerate().find(|(_, var)| system.vars[*var].name == plain)?;
        let value = state.values[slot].as_ref()?;
        Some(match (value, index) {
            (Value::Array(array), Some(index)) => array.read(&Value::int(index)).as_int().to_string(),
            (value, _) => value.as_int().to_string(),
        })
    })
}
