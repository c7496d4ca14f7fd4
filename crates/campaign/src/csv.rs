//! Comma-separated values: a field is plain or in double quotes, where two of them stand for one.

/// The fields of a line.
///
/// ```
/// assert_eq!(campaign::csv::fields(r#"a,"b, ""c""",,d"#), ["a", "b, \"c\"", "", "d"]);
/// ```
pub fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let (mut quoted, mut chars) = (false, line.chars().peekable());
    while let Some(c) = chars.next() {
        let field = fields.last_mut().expect("there is one");
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                field.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            c => field.push(c),
        }
    }
    fields
}

/// A field as it is written.
pub fn field(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

/// A line of fields.
pub fn line<T: AsRef<str>>(fields: &[T]) -> String {
    fields.iter().map(|text| field(text.as_ref())).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_is_written_is_read() {
        let row = ["a", "", "b,c", "say \"x\"", "d"];
        assert_eq!(super::fields(&super::line(&row)), row);
    }
}
