//! Each format, with files made for the purpose.

use crate::samples::{cbf, cbl, cbr, endgame, game, small, xqf};
use notation::{Caution, Format, Place, Record, RecordError, RecordFault, Tags, read_records, write_dhtmlxq};

const KEYS: [u8; 4] = [0x35, 0x47, 0xA3, 0x99];

fn read_one(bytes: &[u8]) -> Result<Record, RecordError> {
    let mut records = read_records(bytes);
    assert_eq!(records.len(), 1);
    records.remove(0)
}

/// The tags that a format has a place for.
fn tags(record: &Record, names: &[&str]) -> Tags {
    let mut tags = Tags::default();
    for (name, value) in record.tags.iter().filter(|(name, _)| names.contains(name)) {
        tags.set(name, value);
    }
    tags
}

#[test]
fn xqf_reads_plain_and_enciphered() {
    for version in [0x0A, 0x0B, 0x0C, 0x10, 0x12] {
        for keys in [KEYS, [0, 0, 0, 0], [255, 1, 254, 3]] {
            let file = xqf(&game(), version, keys);
            assert_eq!(Format::of(&file), Format::Xqf);
            assert_eq!(read_one(&file), Ok(game()), "version {version}, keys {keys:?}");
            assert_eq!(read_one(&xqf(&endgame(), version, keys)), Ok(endgame()), "version {version}");
        }
    }
}

#[test]
fn xqf_of_another_version_is_refused() {
    let mut file = xqf(&game(), 0x12, KEYS);
    file[2] = 0x13;
    let error = read_one(&file).unwrap_err();
    assert_eq!(error.to_string(), "game 1, byte 2: XQF of version 19, want 10 (plain) to 18");
}

#[test]
fn xqf_text_in_no_encoding_is_replaced_with_a_warning() {
    let mut file = xqf(&game(), 0x12, KEYS);
    file[0x50..0x54].copy_from_slice(&[3, 0xFF, 0xFE, 0x80]);
    let record = read_one(&file).unwrap();
    assert_eq!(record.tree, game().tree);
    assert!(record.tags.get("Title").unwrap().contains('\u{fffd}'));
    assert_eq!(record.warnings.len(), 1);
    assert!(record.warnings[0].to_string().starts_with("byte 80: the text of the Title is not all Gb18030"));
}

#[test]
fn xqf_whose_header_names_the_wrong_side_follows_the_first_move() {
    let mut file = xqf(&endgame(), 0x12, KEYS);
    file[0x32] = 0;
    let record = read_one(&file).unwrap();
    assert_eq!(record.tree, endgame().tree);
    assert_eq!(record.warnings[0].caution, Caution::OtherSideFirst);
}

#[test]
fn a_fault_in_the_main_line_refuses_and_in_a_variation_warns() {
    // The plain format has each step at a fixed place if there are no comments.
    let file = xqf(&small(), 0x0A, KEYS);
    let (main, variation) = (1024 + 8, 1024 + 16);
    let mut bad_variation = file.clone();
    bad_variation[variation] = 0x18;
    let record = read_one(&bad_variation).unwrap();
    assert_eq!((record.tree.move_count(), record.warnings.len()), (1, 1));
    assert_eq!(
        record.warnings[0].to_string(),
        "byte 1040: the line ends here, 1 moves left out: ply 1: a0c4 is not legal in \
         rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"
    );
    let mut bad_main = file;
    bad_main[main] = 0xFF;
    let error = read_one(&bad_main).unwrap_err();
    assert_eq!(error.to_string(), "game 1, byte 1032: ply 1: 231, 42 is no pair of points");
    assert_eq!(error.partial.unwrap().tree.move_count(), 0);
}

#[test]
fn a_stray_last_move_is_left_out_with_a_warning() {
    let mut record = small();
    record = Record {
        tree: notation::Tree::from_moves(record.start().clone(), &record.main_line()).unwrap(),
        ..record
    };
    let mut file = xqf(&record, 0x0A, KEYS);
    file[1024 + 8 + 2] = 0xF0;
    file.extend([0x18, 0x20, 0, 0, 0, 0, 0, 0]);
    let read = read_one(&file).unwrap();
    assert_eq!((read.tree == record.tree, read.warnings.len()), (true, 1));
}

#[test]
fn cbr_and_cbl_read() {
    let want = |library: Option<&str>| {
        let mut record = game();
        let names = ["Title", "Event", "Date", "Site", "Red", "Black", "TimeControl", "Annotator"];
        record.tags = tags(&record, &names);
        let time_control = record.tags.get("TimeControl").unwrap().to_owned();
        // In the order of the file.
        let mut ordered = Tags::default();
        for name in ["Title", "Event", "Date", "Site", "TimeControl", "Red", "Black", "Annotator"] {
            ordered.set(
                name,
                if name == "TimeControl" { &time_control } else { record.tags.get(name).unwrap() },
            );
        }
        record.tags = ordered;
        if let Some(library) = library {
            record.tags.set("Library", library);
        }
        record
    };
    let file = cbr(&game());
    assert_eq!((Format::of(&file), read_one(&file)), (Format::Cbr, Ok(want(None))));

    let mut bad = cbr(&small());
    bad[2120] = 0x55;
    let library = cbl("名局", &[&file, &bad, &cbr(&endgame()), &cbr(&game())]);
    assert_eq!(Format::of(&library), Format::Cbl);
    let records = read_records(&library);
    assert_eq!(records.len(), 4);
    assert_eq!(records[0].as_ref(), Ok(&want(Some("名局"))));
    assert_eq!(
        records[1].as_ref().unwrap_err().to_string(),
        format!(
            "game 2, byte {}: point 0 of the board is \"0x55\", want 0, 0x11 to 0x17 or 0x21 to 0x27",
            2 * 4096 + 2120
        )
    );
    assert_eq!(records[2].as_ref().map(|record| &record.tree), Ok(&endgame().tree));
    assert_eq!(records[3].as_ref(), Ok(&want(Some("名局"))));
}

#[test]
fn cbf_reads() {
    let text = cbf(&game());
    assert_eq!(Format::of(text.as_bytes()), Format::Cbf);
    let record = read_one(text.as_bytes()).unwrap();
    assert_eq!((record.main_line(), record.result), (game().main_line(), game().result));
    assert_eq!(record.tags, tags(&game(), &["Title", "Event", "Red"]));
    assert_eq!(record.tree.comment(notation::NodeId::ROOT), game().tree.comment(notation::NodeId::ROOT));
    assert_eq!(record.warnings, []);

    let error = read_one(text.replace("77-47", "77-46").as_bytes()).unwrap_err();
    assert!(error.to_string().starts_with("game 1, line 14: ply 1: h2e3 is not legal in "), "{error}");
    let error = read_one(text.replace("</Head>", "").as_bytes()).unwrap_err();
    assert!(matches!(error.fault, RecordFault::Xml(_)), "{error}");
}

#[test]
fn tables_read() {
    let table = "# by hand\r\n\r\nid\tDate\tRed\trules\tresult\tFEN\tplies\tmoves\r\n\
        #1\t1999\t胡榮華\taxf\t1-0\t\t3\tC2=5 H8+7 h0g2\r\n\r\n\
        2\t\t\t\t-\t3k5/9/9/9/9/9/9/9/9/R3K4 b\t86\td9d8\r\n\
        3\t\t\t\t0-1\t\t\th2e2 h9g8\r\n\
        4\t\t\t\t0-1\th2e2\r\n\
        5\t\t\t\t*\tnothing\t\t\r\n\
        \t\t\t\t\t\t\t\r\n";
    assert_eq!(Format::of(table.as_bytes()), Format::Tsv);
    let records = read_records(table.as_bytes());
    assert_eq!(records.len(), 6);
    let errors: Vec<String> =
        records.iter().filter_map(|game| game.as_ref().err()).map(ToString::to_string).collect();
    assert_eq!(errors.len(), 3);
    assert!(errors[0].starts_with("game 3, line 7: ply 2: \"h9g8\" is no legal move in "), "{}", errors[0]);
    assert_eq!(errors[1], "game 4, line 8: 6 cells, want 8, one for each column");
    assert!(errors[2].starts_with("game 5, line 9: the start position: "), "{}", errors[2]);
    assert_eq!(records[2].as_ref().unwrap_err().partial.as_ref().unwrap().main_line().len(), 1);

    let first = records[0].as_ref().unwrap();
    let moves: Vec<String> = first.main_line().iter().map(ToString::to_string).collect();
    assert_eq!(moves, ["h2e2", "h9g7", "h0g2"]);
    assert_eq!(first.result, Some(rules::Outcome::Win(rules::Colour::Red)));
    let tags: Vec<_> = first.tags.iter().collect();
    assert_eq!(tags, [("id", "#1"), ("Date", "1999"), ("Red", "胡榮華"), ("Rules", "axf")]);
    assert_eq!(first.warnings, []);

    let second = records[1].as_ref().unwrap();
    assert_eq!((second.start().turn(), second.result), (rules::Colour::Black, None));
    let warnings: Vec<String> = second.warnings.iter().map(ToString::to_string).collect();
    for warning in ["\"-\" is no known result", "line 6: \"86\" plies, but there are 1 moves"] {
        assert!(warnings.iter().any(|text| text.contains(warning)), "{warnings:?}");
    }
    assert_eq!(records[5].as_ref().unwrap().main_line(), []);
}

#[test]
fn what_is_like_a_table() {
    assert_eq!(Format::of(b"MOVES\nh2e2 h9g7\nb2e2\n"), Format::Tsv);
    assert_eq!(read_records(b"moves\nh2e2 h9g7\nb2e2\n").len(), 2);
    // A tab after the magic of XQF, and a column of numbers.
    for table in ["XQ\tmoves\n1\th2e2\n", "#\tresult\tmoves\n1\t1-0\th2e2\n"] {
        assert_eq!(Format::of(table.as_bytes()), Format::Tsv, "{table}");
        assert_eq!(read_one(table.as_bytes()).unwrap().main_line().len(), 1);
    }
    for not in [
        "h2e2\th9g7\n",
        // A list of moves with a heading.
        "Moves\n1. h2e2 h9g7\n2. h0g2 *\n",
        "; exported\tmoves\n[Event \"x\"]\n1. h2e2\n",
        "[ Event\t\"x\"]\tmoves\n1. h2e2\n",
        "\tmoves\n1. h2e2\n",
    ] {
        assert_eq!(Format::of(not.as_bytes()), Format::Pgn, "{not}");
    }
    let refused = |text: &str| read_one(text.as_bytes()).unwrap_err().to_string();
    assert_eq!(
        refused("red\tmoves\n"),
        "game 1, line 1: the table is \"a line of names alone\", want a game in each line after it"
    );
    for (text, name) in [
        ("moves\tMoves\na\tb\n", "moves"),
        ("White\tred\tmoves\nA\tB\th2e2\n", "Red"),
        // Columns that would be one tag.
        ("red team\tred-team\tmoves\nA\tB\th2e2\n", "red_team"),
        ("game_\tgame\tmoves\nA\tB\th2e2\n", "game_"),
    ] {
        assert_eq!(refused(text), format!("game 1, line 1: a second column is {name:?}, want each but once"));
    }
    assert!(refused("fen\tstart\tmoves\n\t\th2e2\n").contains("a second column is \"start\""));
}

#[test]
fn dhtmlxq_reads_what_pages_have() {
    let page = "<html><body>\r\n[DhtmlXQ]\r\n[DhtmlXQ_ver]www_dpxq_com[/DhtmlXQ_ver]\r\n\
        [DhtmlXQ_title]注解 &amp; 变着[/DhtmlXQ_title][DhtmlXQ_result]红胜[/DhtmlXQ_result]\r\n\
        [DhtmlXQ_binit]8979695949392919097717866646260600102030405060708012720323436383[/DhtmlXQ_binit]\r\n\
        [DhtmlXQ_movelist]796770621927[/DhtmlXQ_movelist]\r\n\
        [DhtmlXQ_move_0_2_1]03041927[/DhtmlXQ_move_0_2_1]\r\n\
        [DhtmlXQ_move_1_3_2]0605[/DhtmlXQ_move_1_3_2]\r\n\
        [DhtmlXQ_comment0]全局说明。[/DhtmlXQ_comment0]\r\n\
        [DhtmlXQ_comment2]第二着||\\u9ed1\\u9a6c[/DhtmlXQ_comment2]\r\n\
        [DhtmlXQ_comment2_3]嵌套[/DhtmlXQ_comment2_3]\r\n[/DhtmlXQ]</body></html>";
    assert_eq!(Format::of(page.as_bytes()), Format::DhtmlXq);
    let want = read_one(
        "[title \"注解 & 变着\"]\n{全局说明。}\n1. 马二进三 马８进７ {第二着\n黑马} \
         (1. ... 卒１进１ 2. 马八进七 (2. 兵九进一 {嵌套})) 2. 马八进七 1-0"
            .as_bytes(),
    );
    assert_eq!(read_one(page.as_bytes()), want);
    // The same page as most of them are: in GB2312.
    assert_eq!(read_one(&encoding_rs::GBK.encode(page).0), want);
}

#[test]
fn dhtmlxq_says_what_it_leaves_out() {
    let text = "[DhtmlXQ_movelist]77477062[/DhtmlXQ_movelist][DhtmlXQ_move_0_9_1]7967[/DhtmlXQ_move_0_9_1]\
        [DhtmlXQ_move_0_1_2]77467967[/DhtmlXQ_move_0_1_2][DhtmlXQ_comment7]?[/DhtmlXQ_comment7]\
        [DhtmlXQ_result]谁知道[/DhtmlXQ_result]";
    let record = read_one(text.as_bytes()).unwrap();
    assert_eq!(record.tree.move_count(), 2);
    let mut kinds: Vec<String> = record.warnings.iter().map(|warning| warning.caution.to_string()).collect();
    kinds.sort();
    assert!(kinds[0].starts_with("\"谁知道\" is no known result"), "{kinds:?}");
    assert!(kinds[1].starts_with("a variation left out: move_0_9_1"), "{kinds:?}");
    assert!(kinds[2].starts_with("the comment \"?\" belongs to no move"), "{kinds:?}");
    assert!(
        kinds[3].starts_with("the line ends here, 2 moves left out: ply 1: h2e3 is not legal"),
        "{kinds:?}"
    );

    let error = read_one(b"\n[DhtmlXQ_movelist]77477[/DhtmlXQ_movelist]").unwrap_err();
    assert_eq!(error.to_string(), "game 1, line 2: movelist is \"7\", want four digits for each move");
    let error =
        read_one(b"[DhtmlXQ_movelist]7747[/DhtmlXQ_movelist][DhtmlXQ_binit]12[/DhtmlXQ_binit]").unwrap_err();
    assert!(error.to_string().contains("binit is \"12\", want 64 digits"), "{error}");
}

#[test]
fn several_games_of_dhtmlxq_are_told_apart() {
    let text = write_dhtmlxq(&game()) + "\n<p>and</p>\n" + &write_dhtmlxq(&endgame());
    let records = read_records(text.as_bytes());
    assert_eq!(records, [Ok(game()), Ok(endgame())]);
    // Some leave the outer tag out.
    let text = text.replace("[DhtmlXQ]", "").replace("[/DhtmlXQ]", "");
    assert_eq!(read_records(text.as_bytes()), [Ok(game()), Ok(endgame())]);
}

#[test]
fn what_is_no_game_is_refused() {
    for bytes in [
        &b""[..],
        b"\n\n",
        b"hello, world\nthis is no game\n",
        b"<html></html>",
        &[0xFF, 0xD8, 0xFF, 0xE0, 0, 16],
    ] {
        let error = read_one(bytes).unwrap_err();
        assert_eq!((error.place, &error.fault), (Place::Line(1), &RecordFault::Unknown), "{bytes:?}");
    }
}
