//! Encodings of XML documents: bytes become text.
//!
//! Text is UTF-8, with or without a mark at its beginning. Documents may be UTF-16, which is known by such a mark or by
//! their first character, `<`, and ISO-8859-1 (Latin-1) if their first line says so. What is read is as if it had been
//! UTF-8: the first line says that then, and everything else stays at its line and column.

/// How the characters of a file are written.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Encoding {
    Utf8,
    Latin1,
    Utf16Le,
    Utf16Be,
}

/// How much of a document is searched for what it says of itself.
const DECLARATION: usize = 200;

impl Encoding {
    /// The encoding that the beginning of a file tells of.
    pub(crate) fn of(bytes: &[u8]) -> Encoding {
        match bytes {
            [0xff, 0xfe, ..] | [b'<', 0, _, 0, ..] => Encoding::Utf16Le,
            [0xfe, 0xff, ..] | [0, b'<', 0, _, ..] => Encoding::Utf16Be,
            _ => {
                let beginning: String =
                    bytes.iter().take(DECLARATION).map(|byte| char::from(*byte)).collect();
                let latin = |name: &str| {
                    ["iso-8859-1", "latin1", "latin-1", "l1"]
                        .iter()
                        .any(|known| name.eq_ignore_ascii_case(known))
                };
                match declared(&beginning) {
                    Some((at, length)) if latin(&beginning[at..at + length]) => Encoding::Latin1,
                    _ => Encoding::Utf8,
                }
            }
        }
    }
    /// The text of a file that is not UTF-8; `None` if it is not in this encoding.
    pub(crate) fn decoded(self, bytes: &[u8]) -> Option<String> {
        let units = |unit: fn([u8; 2]) -> u16| {
            let pairs = bytes.chunks_exact(2);
            if !pairs.remainder().is_empty() {
                return None;
            }
            let units: Vec<u16> = pairs.map(|pair| unit([pair[0], pair[1]])).collect();
            String::from_utf16(&units).ok()
        };
        let text = match self {
            Encoding::Utf8 => String::from_utf8(bytes.to_vec()).ok(),
            Encoding::Latin1 => Some(bytes.iter().map(|byte| char::from(*byte)).collect()),
            Encoding::Utf16Le => units(u16::from_le_bytes),
            Encoding::Utf16Be => units(u16::from_be_bytes),
        }?;
        Some(as_utf8(text.strip_prefix('\u{feff}').map_or(text.clone(), str::to_owned)))
    }
}

/// Where the first line of a document names its encoding, and how long the name is.
fn declared(text: &str) -> Option<(usize, usize)> {
    let declaration = text.strip_prefix("<?xml").and_then(|rest| rest.split("?>").next())?;
    let at = "<?xml".len() + declaration.find("encoding")? + "encoding".len();
    let rest = &text[at..];
    let quoted = rest.trim_start().strip_prefix('=')?.trim_start();
    let quote = quoted.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let length = quoted[1..].find(quote)?;
    Some((text.len() - quoted.len() + 1, length))
}

/// A document that says of itself that it is UTF-8.
fn as_utf8(mut text: String) -> String {
    if let Some((at, length)) = declared(&text) {
        let (name, quote) = ("utf-8", text.as_bytes()[at + length] as char);
        let blanks = " ".repeat(length.saturating_sub(name.len()));
        text.replace_range(at..=at + length, &format!("{name}{quote}{blanks}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], encoding: Encoding, expected: &str) {
        assert_eq!(Encoding::of(bytes), encoding);
        assert_eq!(encoding.decoded(bytes).as_deref(), Some(expected));
    }

    /// 0xE4 and 0xDF are ä and ß in Latin-1, and no UTF-8.
    #[test]
    fn latin_1_is_known_by_the_first_line() {
        let before = b"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><nta>\xe4\xdf</nta>";
        check(before, Encoding::Latin1, "<?xml version=\"1.0\" encoding=\"utf-8\"     ?><nta>äß</nta>");
        assert_eq!(Encoding::of(b"<nta encoding='latin1'>\xe4</nta>"), Encoding::Utf8);
        assert_eq!(Encoding::of(b"<?xml encoding='utf-8'?><a b=\"latin1\"/>"), Encoding::Utf8);
    }

    #[test]
    fn utf_16_is_known_by_a_mark_or_the_first_character() {
        let text = "<?xml version='1.0' encoding='UTF-16'?><nta>ä</nta>";
        let expected = "<?xml version='1.0' encoding='utf-8' ?><nta>ä</nta>";
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        check(&little, Encoding::Utf16Le, expected);
        check(&big, Encoding::Utf16Be, expected);
        check(&[&[0xff, 0xfe], &little[..]].concat(), Encoding::Utf16Le, expected);
        check(&[&[0xfe, 0xff], &big[..]].concat(), Encoding::Utf16Be, expected);
        assert_eq!(Encoding::Utf16Le.decoded(&little[..little.len() - 1]), None);
    }
}
