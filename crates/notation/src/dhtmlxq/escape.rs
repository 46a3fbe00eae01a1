//! Characters that mean something between tags or to HTML.

/// Characters that would be taken for something else, as HTML names them.
const ENTITIES: [(char, &str); 7] = [
    ('&', "&amp;"),
    ('<', "&lt;"),
    ('>', "&gt;"),
    ('[', "&#91;"),
    ('\\', "&#92;"),
    ('|', "&#124;"),
    ('"', "&quot;"),
];

/// The text as it stands between tags.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match ENTITIES.iter().find(|(plain, _)| *plain == character) {
            Some((_, entity)) => escaped.push_str(entity),
            None if character == '\n' => escaped.push_str("||"),
            None => escaped.push(character),
        }
    }
    escaped
}

/// Undoes `||` for line ends, `\u5e05` of scripts and the entities of HTML. What stands for no character, or for NUL,
/// is U+FFFD, as in HTML.
pub(super) fn unescape(text: &str) -> String {
    let text = unescape_script(text).replace("||", "\n").replace("<br>", "\n").replace("<br />", "\n");
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find('&') {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let known = ENTITIES.iter().chain(&[('\'', "&#39;"), (' ', "&nbsp;")]);
        let (character, entity) =
            known.into_iter().find(|(_, entity)| rest.starts_with(entity)).unwrap_or(&('&', "&"));
        plain.push(*character);
        rest = &rest[entity.len()..];
    }
    plain + rest
}

fn unescape_script(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("\\u") {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let mut units = Vec::new();
        while let Some(unit) = rest
            .strip_prefix("\\u")
            .and_then(|hex| hex.get(..4))
            .filter(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .and_then(|hex| u16::from_str_radix(hex, 16).ok())
        {
            units.push(unit);
            rest = &rest[6..];
        }
        if units.is_empty() {
            plain.push_str("\\u");
            rest = &rest[2..];
        }
        plain.push_str(&String::from_utf16_lossy(&units).replace('\0', "\u{fffd}"));
    }
    plain + rest
}
