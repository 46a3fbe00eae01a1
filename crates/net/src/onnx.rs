//! Networks as ONNX models, for any program that runs them; `FORMAT.md` describes inputs and outputs.
//!
//! Only writing. `graph` knows ONNX, `protobuf` how its bytes are laid out; here is what the network computes.

mod graph;
mod protobuf;
mod tower;

use crate::description::{Architecture, MOVES_LEFT_UNIT, OUTPUTS};
use crate::weights::Weights;
use evaluator::{INPUTS, MOVES};
use graph::{Attribute, Graph, INT32};

/// The content of an ONNX model (operators of opset 17, all in float32, any batch) that answers like the network.
/// The same weights give the same bytes.
///
/// Inputs are `inputs` and `exchange`, outputs `wdl`, `moves_left` and `policy`; the description stands in the model's
/// metadata.
pub fn to_onnx(weights: &Weights, licence: Option<&str>) -> Vec<u8> {
    let description = weights.description();
    let text = serde_json::to_string(description).expect("a description has only text and numbers");
    let hash = weights.hash();
    let mut metadata = vec![("description", text.as_str()), ("weights_sha256", &hash)];
    metadata.extend(licence.map(|licence| ("licence", licence)));
    match description.architecture {
        Architecture::Sparse { hidden, value_hidden } => {
            sparse(weights, hidden, value_hidden).into_model("sparse", ABOUT, &metadata)
        }
        Architecture::Tower { channels, blocks, value_hidden } => {
            tower::graph(weights, channels, blocks, value_hidden).into_model("tower", ABOUT, &metadata)
        }
    }
}

const ABOUT: &str = "A Xiangqi network of Meihua. Everything is from the side to move's point of view.";

/// A graph with the inputs and outputs that all networks have, and the constants that all need.
fn ports() -> Graph {
    let mut graph = Graph::default();
    graph.input("inputs", INPUTS, "1 for the inputs that are on (evaluator::Features), else 0");
    graph.input(
        "exchange",
        MOVES,
        "1 + kind of exchange (evaluator::Features::exchange) for each legal move, else 0",
    );
    graph.output("wdl", 3, "probabilities of win, draw and loss");
    graph.output("moves_left", 1, "plies to the end of the game");
    graph.output(
        "policy",
        MOVES,
        "a logit for each move (evaluator::MoveIndex); take those of the legal moves",
    );
    graph.floats("moves_left.unit", &[], [MOVES_LEFT_UNIT]);
    graph.integers("outputs.split", &[3, 1]);
    graph
}

/// From `outputs`, logits and raw moves left, to the outputs.
fn result_and_moves_left(graph: &mut Graph) {
    graph.node(
        "Split",
        &["outputs", "outputs.split"],
        ["wdl.logits", "moves_left.raw"],
        &[("axis", Attribute::Integer(1))],
    );
    graph.node("Softmax", &["wdl.logits"], ["wdl"], &[("axis", Attribute::Integer(1))]);
    graph.node("Softplus", &["moves_left.raw"], ["moves_left.units"], &[]);
    graph.node("Mul", &["moves_left.units", "moves_left.unit"], ["moves_left"], &[]);
}

/// From `policy.rows`, a logit for each move, and the exchanges to `policy`.
fn exchanges(graph: &mut Graph, weights: &Weights) {
    let exchanges = weights.values("policy.exchange");
    let values = [0.0].into_iter().chain(exchanges.iter().copied());
    graph.floats("policy.exchange", &[1 + exchanges.len()], values);
    graph.node("Cast", &["exchange"], ["exchange.index"], &[("to", Attribute::Integer(INT32))]);
    graph.node(
        "Gather",
        &["policy.exchange", "exchange.index"],
        ["policy.exchanges"],
        &[("axis", Attribute::Integer(0))],
    );
    graph.node("Add", &["policy.rows", "policy.exchanges"], ["policy"], &[]);
}

fn sparse(weights: &Weights, hidden: usize, value_hidden: usize) -> Graph {
    let mut graph = ports();
    let of = |name| weights.values(name).iter().copied();
    let columns = |name, first: usize, last: usize| {
        weights.values(name).chunks_exact(hidden + OUTPUTS).flat_map(move |row| &row[first..last]).copied()
    };
    graph.floats("input.weight", &[INPUTS, hidden], columns("input.weight", 0, hidden));
    graph.floats("input.bias", &[hidden], columns("input.bias", 0, hidden));
    graph.floats("skip.weight", &[INPUTS, OUTPUTS], columns("input.weight", hidden, hidden + OUTPUTS));
    graph.floats("skip.bias", &[OUTPUTS], columns("input.bias", hidden, hidden + OUTPUTS));
    for (name, shape) in [
        ("value.weight", &[value_hidden, hidden][..]),
        ("value.bias", &[value_hidden]),
        ("value.out", &[OUTPUTS, value_hidden]),
        ("policy.weight", &[MOVES, hidden]),
        ("policy.bias", &[MOVES]),
    ] {
        graph.floats(name, shape, of(name));
    }

    let transposed = [("transB", Attribute::Integer(1))];
    graph.node("Gemm", &["inputs", "input.weight", "input.bias"], ["sums"], &[]);
    graph.node("Relu", &["sums"], ["hidden"], &[]);
    graph.node("Gemm", &["inputs", "skip.weight", "skip.bias"], ["skip"], &[]);
    graph.node("Gemm", &["hidden", "value.weight", "value.bias"], ["value.sums"], &transposed);
    graph.node("Relu", &["value.sums"], ["value"], &[]);
    graph.node("Gemm", &["value", "value.out", "skip"], ["outputs"], &transposed);
    result_and_moves_left(&mut graph);
    graph.node("Gemm", &["hidden", "policy.weight", "policy.bias"], ["policy.rows"], &transposed);
    exchanges(&mut graph, weights);
    graph
}
