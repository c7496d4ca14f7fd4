//! Lines of comma-separated values, as a list of tasks has them.

/// The fields of a line, some of which are quoted; inside quotes a doubled one stands for itself.
pub fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let (mut quoted, mut before) = (false, ',');
    for character in line.chars() {
        let field = fields.last_mut().expect("there is a first field");
        match character {
            '"' => {
                // The first quote of a pair has just closed the field, and the second opens it again.
                if !quoted && before == '"' {
                    field.push('"');
                }
                quoted = !quoted;
            }
            ',' if !quoted => fields.push(String::new()),
            other => field.push(other),
        }
        before = character;
    }
    fields
}
