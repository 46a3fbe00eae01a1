//! The program's command line, and how it finds a net.

use crate::support::{Engine, copy_program, write_net};
use net::{Architecture, Description, Tensor, Weights};
use rules::Position;
use std::process::Command;

const PROGRAM: &str = env!("CARGO_BIN_EXE_meihua-engine");

#[test]
fn help_version_and_wrong_words() {
    let run = |arguments: &[&str]| Command::new(PROGRAM).args(arguments).output().unwrap();
    let help = run(&["--help"]);
    assert!(help.status.success() && String::from_utf8(help.stdout).unwrap().contains("--net FILE"));
    let version = run(&["--version"]);
    assert_eq!(
        String::from_utf8(version.stdout).unwrap(),
        concat!("meihua-engine ", env!("CARGO_PKG_VERSION"), "\n")
    );
    for (wrong, message) in [
        (
            &["--nte"][..],
            "error: --nte: want --net FILE, --help or --version; meihua-engine --help says more\n",
        ),
        (&["--net"][..], "error: --net: want a file after it; meihua-engine --help says more\n"),
    ] {
        let output = run(wrong);
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), &[][..]));
        assert_eq!(String::from_utf8(output.stderr).unwrap(), message);
    }
}

#[test]
fn without_a_net_every_answer_says_so() {
    let mut engine = Engine::without_net();
    engine.say("uci\nisready");
    engine.until("uciok");
    let heard = engine.until("readyok");
    assert!(heard[0].starts_with("info string error no net was found: "), "{heard:?}");
    for _ in 0..2 {
        engine.say("go nodes 1");
        let (words, heard) = engine.best_move();
        assert!(
            words[0].len() == 4 && heard[0].starts_with("info string error no net was found: "),
            "{heard:?}"
        );
    }
}

#[test]
fn a_net_is_found_beside_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let program = copy_program(folder.path());
    for (file, found) in
        [("b.safetensors", "b.safetensors"), ("a.safetensors", "a.safetensors"), ("z.meihua", "z.meihua")]
    {
        write_net(&folder.path().join(file));
        let mut engine = Engine::run(Command::new(&program).current_dir("/"), None);
        engine.say("isready");
        let heard = engine.until("readyok");
        assert_eq!(heard[0], format!("info string net {}", folder.path().join(found).display()));
    }
}

#[test]
fn eval_file_wins_and_may_have_any_name() {
    let folder = tempfile::tempdir().unwrap();
    let program = copy_program(folder.path());
    let name = "象棋 net value.safetensors";
    write_net(&folder.path().join(name));
    let path = folder.path().join(name);
    let told = format!("info string net {}", path.display());
    let mut engine =
        Engine::run(Command::new(&program).arg("--net").arg("/no/such/file").current_dir("/"), None);
    engine.say("uci\nisready");
    engine.until("uciok");
    assert!(
        engine.until("readyok")[0].starts_with("info string error can't read a network from /no/such/file: ")
    );
    // By its path, and by its name beside the program.
    engine.say(&format!("setoption name EvalFile value {}\nisready", path.display()));
    assert_eq!(engine.until("readyok"), [told.as_str(), "readyok"]);
    engine.say("setoption name EvalFile value /no/such/other\nisready");
    let heard = engine.until("readyok");
    assert!(
        heard[0].starts_with("info string error can't read") && heard[0].contains("the net before stays"),
        "{heard:?}"
    );
    engine.say("go nodes 1");
    assert!(engine.best_move().1.iter().all(|line| !line.contains("error")));
    let mut gbk = b"setoption name EvalFile value ".to_vec();
    gbk.extend_from_slice(b"\xCF\xF3\xC6\xE5 net value.safetensors\nisready\n");
    engine.say_bytes(&gbk);
    assert_eq!(engine.until("readyok"), [told.as_str(), "readyok"]);
}

#[test]
fn a_file_that_is_no_net_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.meihua");
    std::fs::write(&path, b"not a net").unwrap();
    let mut engine = Engine::run(Command::new(PROGRAM).arg("--net").arg(&path), None);
    engine.say("isready");
    let heard = engine.until("readyok");
    assert!(heard[0].starts_with("info string error ") && heard[0].contains("not a net"), "{heard:?}");
}

#[test]
fn a_net_that_answers_nonsense_is_said_and_a_legal_move_is_played() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("huge.safetensors");
    let architecture = Architecture::Sparse { hidden: 8, value_hidden: 8 };
    let tensors = architecture.shapes().into_iter().map(|(name, shape)| {
        let values = vec![f32::MAX; shape.iter().product()];
        (name, Tensor { shape, values })
    });
    let description = Description::new(architecture, "formal", "test");
    Weights::new(description, tensors.collect()).unwrap().write(&path).unwrap();
    let mut engine = Engine::run(Command::new(PROGRAM).arg("--net").arg(&path), None);
    for _ in 0..2 {
        engine.say("position startpos\ngo nodes 10");
        let (words, heard) = engine.best_move();
        assert!(
            heard.iter().any(|line| line.starts_with("info string error the network answered ")),
            "{heard:?}"
        );
        assert!(Position::start().is_legal(words[0].parse().unwrap()));
    }
}
