//! PGN and its dialects.

use crate::samples::game;
use notation::{NodeId, Record, RecordError, Style, TextEncoding, decode, read_records, write_pgn};
use rules::{Colour, Outcome};

fn read_one(text: &str) -> Result<Record, RecordError> {
    let mut records = read_records(text.as_bytes());
    assert_eq!(records.len(), 1, "{text}: {records:#?}");
    records.remove(0)
}

fn moves(record: &Record) -> String {
    record.main_line().iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// Reads without warnings and has these moves in its main line.
#[track_caller]
fn check(text: &str, want: &str) {
    let record = read_one(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(moves(&record), want, "{text}");
    assert_eq!(record.warnings, [], "{text}");
}

#[track_caller]
fn check_error(text: &str, want: &str) {
    let error = read_one(text).expect_err(text).to_string();
    assert!(error.starts_with(want), "{text}: {error}, want {want}");
}

#[test]
fn numbers_are_where_they_like_or_missing() {
    let want = "h2e2 h9g7 h0g2";
    for text in [
        "1. 炮二平五 马８进７ 2. 马二进三",
        "1.炮二平五 马８进７ 2.马二进三",
        "1.炮二平五马８进７ 2.马二进三",
        "1炮二平五 马8进7 2马二进三",
        "炮二平五 马８进７ 马二进三",
        "1、炮二平五，马８进７；2、马二进三。",
        "１．炮二平五　马８进７　２．马二进三",
        "1. 炮二平五 1... 马８进７ 2. 马二进三",
        "1. 炮二平五 1. ... 马８进７ 2. 马二进三",
        "1. 炮二平五\n  1.          马８进７\n 2. 马二进三",
        "1. {第一步} 炮二平五 1. {应} ... {着} 马８进７ ; 行末\n2. 马二进三",
        "1.C2.5 H8+7 2.H2+3",
        "1. C2=5 h8+7 2. h2+3 ",
        "1.H2-E2 H9-G7 2.H0-G2",
        "1.H2-E2,H9-G7 2.H0-G2",
        "1. h2e2 h9g7 2. h0g2",
        "1. h3e3 h10g8 2. h1g3",
        "1. Che2 Hg7 2. Hg2",
        "1. Che3! Hg8?! 2. Hg3!!",
    ] {
        let record = read_one(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(
            (moves(&record).as_str(), record.warnings.len()),
            (want, 0),
            "{text}: {:?}",
            record.warnings
        );
    }
}

#[test]
fn the_number_of_a_crowded_pawn_is_no_number_of_a_round() {
    let fen = "[FEN \"3k5/4P4/4P4/4P4/4P4/9/9/9/9/5K3 w - - 0 1\"]\n";
    check(&format!("{fen}1. 15=4 K4+1 2.25.6"), "e8f8 d9d8 e6d6");
    check(&format!("{fen}1.15.4 K4+1"), "e8f8 d9d8");
    check(&format!("{fen}15.4"), "e8f8");
}

#[test]
fn coordinates_are_counted_one_way_in_a_game() {
    // Both moves are legal in both countings; the third decides for all.
    check("1. h3e3 h8e8 2. i1i2", "h2e2 h7e7 i0i1");
    let both = "[FEN \"3k5/9/9/9/4R4/4R4/9/9/9/5K3 w - - 0 1\"]\n1. e5e6";
    let record = read_one(both).unwrap();
    assert_eq!(moves(&record), "e5e6", "{record:?}");
    assert_eq!(record.warnings.len(), 0, "a rook is in the way if ranks are counted from 1");
    let both = both.replace("4R4/4R4", "4R4/9");
    let record = read_one(&both.replace("e5e6", "e5f5")).unwrap();
    assert_eq!((moves(&record).as_str(), record.warnings.len()), ("e5f5", 0));
    let both = "[FEN \"3k5/9/9/9/4R4/4R4/9/9/9/5K3 w - - 0 1\"]\n1. e5f5";
    let record = read_one(both).unwrap();
    assert_eq!(moves(&record), "e5f5");
    assert_eq!(
        record.warnings[0].to_string(),
        "line 1: the moves are legal with ranks from 0 and from 1: read as from 0"
    );
    check(&format!("[Format \"ICCS\"]\n{both}"), "e5f5");
}

#[test]
fn results_are_tags_or_texts() {
    let red = Some(Outcome::Win(Colour::Red));
    for (text, want) in [
        ("[Result \"1-0\"]\n1. 炮二平五", red),
        ("1. 炮二平五 1-0", red),
        ("1. 炮二平五 红胜", red),
        ("1. 炮二平五\n紅先勝", red),
        ("1. 炮二平五\nRed wins", red),
        ("[Result \"*\"]\n1. 炮二平五 1-0 {White mates}", red),
        ("[Result \"红胜\"]\n1. 炮二平五", red),
        ("1. 炮二平五 1/2-1/2", Some(Outcome::Draw)),
        ("1. 炮二平五 和棋", Some(Outcome::Draw)),
        ("1. 炮二平五 0-1", Some(Outcome::Win(Colour::Black))),
        ("1. 炮二平五 *", None),
        ("1. 炮二平五", None),
    ] {
        let record = read_one(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!((record.result, record.warnings.len()), (want, 0), "{text}");
    }
    let record = read_one("[Result \"1-0\"]\n\n1. 炮二平五\n0-1").unwrap();
    assert_eq!(record.result, red);
    assert_eq!(
        record.warnings[0].to_string(),
        "line 3: the tag says 1-0, the end of the moves 0-1: the tag counts"
    );
}

#[test]
fn the_result_of_a_variation_is_none_of_the_game() {
    let record = read_one("1. 炮二平五 (1. 兵七进一 1-0) 马８进７ 2. 马二进三 0-1").unwrap();
    assert_eq!(
        (moves(&record).as_str(), record.result),
        ("h2e2 h9g7 h0g2", Some(Outcome::Win(Colour::Black)))
    );
    assert_eq!(record.warnings[0].to_string(), "line 1: text left out: \"1-0\"");
}

#[test]
fn tags_have_their_usual_names() {
    let record = read_one(
        "[EVENT \"杯\"][white \"甲\"]\n[BLACK \"say \"hi\" \\\\ \\\"ho\\\"\"]\n[Custom x y]\n\n1. h2e2",
    )
    .unwrap();
    let tags: Vec<_> = record.tags.iter().collect();
    assert_eq!(tags, [("Event", "杯"), ("Red", "甲"), ("Black", "say \"hi\" \\ \"ho\""), ("Custom", "x y")]);
    let record = read_one("[Red \"甲\"]\n[White \"乙\"]\n").unwrap();
    assert_eq!(record.tags.get("Red"), Some("甲"));
    assert_eq!(record.warnings[0].to_string(), "line 2: tag White again, \"乙\" left out");
}

#[test]
fn footers_are_left_out_with_a_warning() {
    let record = read_one("1. 炮二平五 马８进７ 1-0\n====\n欢迎访问\nhttp://example.org/ 1. e4\n").unwrap();
    assert_eq!(moves(&record), "h2e2 h9g7");
    assert_eq!(record.warnings.len(), 1);
    assert!(
        record.warnings[0].to_string().starts_with("line 3: text left out: \"欢迎访问"),
        "{:?}",
        record.warnings
    );
    let record = read_one("下面是一局棋\n\n[Red \"甲\"]\n1. 炮二平五").unwrap();
    assert_eq!((record.main_line().len(), record.warnings.len()), (1, 1));
}

#[test]
fn a_bad_game_leaves_its_neighbours_alone() {
    let file = "[Event \"1\"]\n1. 炮二平五 1-0\n[Event \"2\"]\n1. 炮二平四 帅五进九\n[Event \"3\"]\n[FEN \"9/9/9 w\"]\n\
        1. 炮二平五\n[Event \"4\"]\n{no end\n1. 炮二平五\n[Event \"5\"]\n[Event \"6\"]\n1. 马二进三 (1. 炮二平五\n\
        [Event \"7\"]\n1. 兵七进一";
    let games = read_records(file.as_bytes());
    let summary: Vec<String> = games
        .iter()
        .map(|game| match game {
            Ok(record) => format!("{} {}", record.tags.get("Event").unwrap(), moves(record)),
            Err(error) => error.to_string(),
        })
        .collect();
    assert_eq!(summary.len(), 7, "{summary:#?}");
    assert_eq!([&summary[0], &summary[4], &summary[6]], ["1 h2e2", "5 ", "7 c3c4"], "{summary:#?}");
    for (index, start) in [
        (1, "game 2, line 4: ply 2: "),
        (2, "game 3, line 6: the start position: the board has 3 ranks"),
        (3, "game 4, line 9: a comment has no end"),
        (5, "game 6, line 13: a variation has no end"),
    ] {
        assert!(summary[index].starts_with(start), "{summary:#?}");
    }
    let partial = games[1].as_ref().unwrap_err().partial.as_ref().unwrap();
    assert_eq!((moves(partial).as_str(), partial.tags.get("Event")), ("h2f2", Some("2")));
}

#[test]
fn games_without_tags_follow_each_other() {
    let games = read_records("1. 炮二平五 1-0\n1. 马二进三 0-1\n\n1. 兵七进一 *\n".as_bytes());
    let lines: Vec<String> = games.iter().map(|game| moves(game.as_ref().unwrap())).collect();
    assert_eq!(lines, ["h2e2", "h0g2", "c3c4"]);
}

#[test]
fn other_games_are_refused() {
    check_error(
        "[Event \"x\"]\n[Variant \"Shogi\"]\n\n1. P-7f",
        "game 1, line 2: the game is \"Shogi\", not xiangqi",
    );
    check_error("[Game \"Chess\"]\n", "game 1, line 1: the game is \"Chess\", not xiangqi");
    check_error("[Event \"x\"]\n\n1. e4 e5 2. Nf3", "game 1, line 3: the game is \"chess");
    check_error("1. d4 d5", "game 1, line 1: the game is \"chess");
    check_error(
        "[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\"]\n",
        "game 1, line 1: the start position:",
    );
    check("[Variant \"Xiangqi\"]\n1. h3e3 h10g8", "h2e2 h9g7");
    check("[Game \"Chinese Chess\"]\n[Variant \"\"]\n", "");
}

#[test]
fn variations_and_comments_have_their_places() {
    let text = "{a} 1. h2e2 {b} ({c} 1. h2f2 {d} h9g7 (1... b9c7 {e})) {f} 1... h9g7 $3 {g} *";
    let tree = read_one(text).unwrap().tree;
    let lines: Vec<_> = tree.leaves().map(|leaf| tree.line_to(leaf)).collect();
    let text = |line: &[rules::Move]| line.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    assert_eq!(
        lines.iter().map(|line| text(line)).collect::<Vec<_>>(),
        ["h2e2 h9g7", "h2f2 h9g7", "h2f2 b9c7"]
    );
    let comments: Vec<_> = tree.preorder().map(|node| tree.comment(node)).collect();
    assert_eq!(comments, ["a", "b\nf", "g", "c\nd", "", "e"]);
    let last = tree.children(tree.children(NodeId::ROOT)[0])[0];
    assert_eq!(tree.remarks(last), [3]);
}

#[test]
fn a_bad_variation_is_cut_with_a_warning() {
    let record =
        read_one("1. h2e2 h9g7\n(1... h9h8 {lost} 2. h0g2 (2. b0c2) i9i8)\n2. h0g2 (2. b0c2 h9h8)").unwrap();
    assert_eq!((moves(&record).as_str(), record.tree.move_count()), ("h2e2 h9g7 h0g2", 4));
    let warnings: Vec<String> = record.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(warnings.len(), 3, "{warnings:#?}");
    assert!(
        warnings[0]
            .starts_with("line 2: the line ends here, 4 moves left out: ply 2: \"h9h8\" is no legal move")
    );
    assert_eq!(warnings[1], "line 2: the comment \"lost\" belongs to no move and is left out");
    assert!(warnings[2].starts_with("line 3: the line ends here, 1 moves left out: ply 4: "));
}

#[test]
fn a_game_of_tags_alone_is_a_game() {
    let text = "[Event \"全国个人赛\"]\n[Red \"胡荣华\"]\n[Black \"许银川\"]\n[Result \"*\"]\n";
    check(text, "");
    let utf8 = read_one(text).unwrap();
    for bytes in
        [encoding_rs::GB18030.encode(text).0.into_owned(), [b"\xef\xbb\xbf", text.as_bytes()].concat()]
    {
        assert_eq!(read_records(&bytes), [Ok(utf8.clone())]);
    }
    let traditional = "[Event \"全國個人賽\"]\n[Red \"胡榮華\"]\n[Black \"許銀川\"]\n";
    let (big5, _, _) = encoding_rs::BIG5.encode(traditional);
    assert_eq!(read_records(&big5), [Ok(read_one(traditional).unwrap())]);
}

#[test]
fn encodings_are_told_apart() {
    let text = "[Red \"胡榮華\"]\r\n1. 炮二平五 馬８進７\r\n";
    let utf16 = |order: fn(u16) -> [u8; 2]| {
        std::iter::once(0xFEFF).chain(text.encode_utf16()).flat_map(order).collect()
    };
    let files: [(Vec<u8>, TextEncoding); 6] = [
        (text.into(), TextEncoding::Utf8),
        ([b"\xef\xbb\xbf", text.as_bytes()].concat(), TextEncoding::Utf8),
        (encoding_rs::GB18030.encode(text).0.into(), TextEncoding::Gb18030),
        (encoding_rs::BIG5.encode(text).0.into(), TextEncoding::Big5),
        (utf16(u16::to_le_bytes), TextEncoding::Utf16Le),
        (utf16(u16::to_be_bytes), TextEncoding::Utf16Be),
    ];
    for (bytes, encoding) in files {
        let decoded = decode(&bytes);
        assert_eq!((decoded.text.as_str(), decoded.encoding, decoded.cautions.len()), (text, encoding, 0));
    }
    // One bad byte doesn't make UTF-8 another encoding, nor does a cut.
    let mut bytes = text.as_bytes().to_vec();
    bytes.insert(8, 0xFF);
    let decoded = decode(&bytes);
    assert_eq!((decoded.encoding, decoded.cautions.len()), (TextEncoding::Utf8, 1));
    let cut = &text.as_bytes()[..16];
    assert_eq!(decode(cut).encoding, TextEncoding::Utf8);
}

#[test]
fn nul_is_left_out_whatever_shows_the_encoding() {
    let text = "[Event \"\0x\"]\n1. h2e2 h9g7\0\n";
    let wide = [0xFEFF].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    for bytes in [text.into(), [b"\xef\xbb\xbf", text.as_bytes()].concat(), wide] {
        let decoded = decode(&bytes);
        let cautions: Vec<String> = decoded.cautions.iter().map(ToString::to_string).collect();
        assert_eq!(decoded.text, "[Event \"x\"]\n1. h2e2 h9g7\n");
        assert_eq!(cautions, ["2 NUL characters left out"]);
    }
    // Nor does a script's escape bring one in.
    let page = b"[DhtmlXQ_event]a\\u0000b[/DhtmlXQ_event][DhtmlXQ_movelist]7747[/DhtmlXQ_movelist]";
    let record = read_records(page).remove(0).unwrap();
    assert_eq!(record.tags.get("Event"), Some("a\u{fffd}b"));
}

#[test]
fn what_is_written_reads_back() {
    let mut record = game();
    record.tags.set("Red", "a \"b\" \\ c\n d");
    record.tags.set("名", "\\");
    let mut cursor = record.tree.cursor();
    cursor.comment("brace } backslash \\ \\} end\n[Event \"no tag\"]\n  [Game \"none\"]\n; { ( 1. e4 } \\");
    for number in [1, 6, 140] {
        cursor.remark(number);
    }
    for style in Style::ALL {
        let text = write_pgn(&record, style);
        assert_eq!(read_records(text.as_bytes()), [Ok(record.clone())], "{}: {text}", style.name());
    }
    let mut text = String::new();
    for style in Style::ALL {
        text += &write_pgn(&record, style);
    }
    assert_eq!(read_records(text.as_bytes()), vec![Ok(record); Style::ALL.len()]);
}

#[test]
fn deep_and_long_games_are_read_or_refused() {
    let deep = "1. h2e2 (1. h2f2 ".repeat(20_000);
    assert!(read_one(&deep).is_err());
    let nested = format!("1. h2e2 {} *", "(1. h2f2 ".repeat(20_000) + &") ".repeat(20_000));
    let record = read_one(&nested).unwrap();
    assert_eq!(record.tree.move_count(), 20_001);
    assert_eq!(read_records(write_pgn(&record, Style::Iccs).as_bytes()), [Ok(record)]);
    let long = "h2e2 h7e7 e2h2 e7h7 ".repeat(2_600);
    check_error(&long, "game 1, line 1: ply 10001: a line has more than 10000 plies");
}
