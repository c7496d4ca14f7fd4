//! Lines of comma-separated values, as a list of tasks has them.

/// The fields of a line, some of which are quoted.
pub fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    for character in line.chars() {
        match character {
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            other => fields.last_mut().expect("there is a first field").push(other),
        }
    }
    fields
}
