//! Text on a terminal, where Chinese characters are two columns wide.

/// The longest remark about a game, in characters: some quote what they are about.
const LONGEST_LINE: usize = 400;

/// How many columns a text takes.
pub(super) fn width(text: &str) -> usize {
    text.chars().map(columns).sum()
}

const fn columns(c: char) -> usize {
    match c {
        // The lines of shorthand lie on the character before.
        '\u{300}'..='\u{36f}' => 0,
        '\u{1100}'.. => 2,
        _ => 1,
    }
}

/// The text with spaces after it, up to so many columns.
pub(super) fn pad(text: &str, columns: usize) -> String {
    let spaces = columns.saturating_sub(width(text));
    format!("{text}{:spaces$}", "")
}

/// A line of a table: a name, a count, and what is to be said about it.
pub(super) fn table_line(name: &str, count: u64, remark: &str) -> String {
    format!("{}{count:>10}  {remark}", pad(name, 24)).trim_end().to_owned()
}

/// A share of the whole in percent.
pub(super) fn percent(part: u64, whole: u64) -> String {
    let share = if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 };
    format!("{share:.1} %")
}

/// The text in one line that is not too long, whatever a file has put into it: no control characters.
pub(super) fn one_line(text: &str) -> String {
    let mut chars = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut line: String = chars.by_ref().take(LONGEST_LINE).collect();
    if chars.next().is_some() {
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_take_two_columns_and_lines_on_digits_none() {
        assert_eq!([width("h2e2"), width("炮二平五"), width("马８进７"), width("馬87\u{332}")], [4, 8, 8, 4]);
        assert_eq!((pad("炮", 4), pad("cannon", 4)), ("炮  ".to_owned(), "cannon".to_owned()));
    }

    #[test]
    fn a_line_has_no_control_characters_and_an_end() {
        assert_eq!(one_line("a\nb\u{1b}[31m"), "a b [31m");
        assert_eq!(one_line(&"x".repeat(1000)).chars().count(), LONGEST_LINE + 1);
    }
}
