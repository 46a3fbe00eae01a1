//! What must hold of everything that is read from a file.

use notation::{Record, Style, read_records, write_dhtmlxq, write_pgn};

/// There is an answer, and what was read reads back as it was when it is written.
pub fn check(bytes: &[u8]) {
    let records = read_records(bytes);
    assert!(!records.is_empty());
    for (number, record) in records.iter().enumerate() {
        // One style for each record: the inputs are many.
        let style = Style::ALL[(bytes.len() + number) % Style::ALL.len()];
        match record {
            Ok(record) => check_record(record, style),
            Err(error) => {
                assert!(!error.to_string().is_empty());
                if let Some(partial) = &error.partial {
                    check_record(partial, style);
                }
            }
        }
    }
}

fn check_record(record: &Record, style: Style) {
    for warning in &record.warnings {
        assert!(!warning.to_string().is_empty());
    }
    let quiet = Record { warnings: Vec::new(), ..record.clone() };
    let text = write_pgn(record, style);
    assert_eq!(read_records(text.as_bytes()), [Ok(quiet)], "{style}: {text}");

    // DhtmlXQ has no remarks but in comments.
    if record.tree.preorder().all(|node| record.tree.remarks(node).is_empty()) {
        let text = write_dhtmlxq(record);
        let again = read_records(text.as_bytes()).remove(0).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert_eq!((&again.tree, again.result), (&record.tree, record.result), "{text}");
    }
}
