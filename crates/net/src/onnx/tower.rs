//! What a tower computes ([`Architecture::Tower`](crate::Architecture::Tower)), operator by operator.

use super::graph::{Attribute, Graph};
use super::{exchanges, ports, result_and_moves_left};
use crate::description::OUTPUTS;
use crate::tower::{
    FILES, PIECES, PLANES, POINTS, POLICY_KEYS, RANKS, SITUATION_INPUTS, STATES, VALUE_PLANES, pairs_of_moves,
};
use crate::weights::Weights;
use evaluator::{MOVES, PIECE_INPUTS};

/// One number of zeros around the board.
const BORDER: (&str, Attribute<'_>) = ("pads", Attribute::Integers(&[1, 1, 1, 1]));
const TRANSPOSED: (&str, Attribute<'_>) = ("transB", Attribute::Integer(1));
const CHANNELS: (&str, Attribute<'_>) = ("axis", Attribute::Integer(1));

pub(super) fn graph(weights: &Weights, channels: usize, blocks: usize, value_hidden: usize) -> Graph {
    let mut tower = Tower { graph: ports(), weights };
    tower.constants(channels, value_hidden);
    let mut top = tower.input();
    for block in 0..blocks {
        top = tower.block(&format!("block{block:02}"), channels, &top);
    }
    tower.value(&top);
    tower.policy(&top);
    tower.graph
}

struct Tower<'a> {
    graph: Graph,
    weights: &'a Weights,
}

impl Tower<'_> {
    /// Shapes and numbers that no tensor of the weights is.
    fn constants(&mut self, channels: usize, value_hidden: usize) {
        let size = |size: usize| size as i64;
        let graph = &mut self.graph;
        graph.integers("inputs.split", &[size(PIECE_INPUTS), size(SITUATION_INPUTS)]);
        graph.integers("board.points.shape", &[-1, size(PIECES), size(POINTS), size(STATES)]);
        graph.integers("board.shape", &[-1, size(PLANES), size(RANKS), size(FILES)]);
        graph.integers("alike.shape", &[-1, size(channels), 1, 1]);
        graph.integers("gate.split", &[size(channels), size(channels)]);
        graph.integers("value.shape", &[-1, size(VALUE_PLANES * POINTS)]);
        graph.integers("keys.shape", &[-1, size(POLICY_KEYS), size(POINTS)]);
        graph.integers("pairs.shape", &[-1, size(POINTS * POINTS)]);
        graph.floats("pairs.scale", &[], [1.0 / (POLICY_KEYS as f32).sqrt()]);
        graph.integers("pairs.of_moves", &pairs_of_moves());
        self.floats("input.situation", &[channels, SITUATION_INPUTS]);
        self.floats("value.weight", &[value_hidden, VALUE_PLANES * POINTS]);
        self.floats("value.bias", &[value_hidden]);
        self.floats("value.out.weight", &[OUTPUTS, value_hidden]);
        self.floats("value.out.bias", &[OUTPUTS]);
        self.floats("policy.bias", &[MOVES]);
    }

    fn floats(&mut self, name: &str, shape: &[usize]) {
        self.graph.floats(name, shape, self.weights.values(name).iter().copied());
    }

    /// From the inputs to what the first block is given.
    fn input(&mut self) -> String {
        let graph = &mut self.graph;
        graph.node("Split", &["inputs", "inputs.split"], ["pieces", "situation"], &[CHANNELS]);
        graph.node("Reshape", &["pieces", "board.points.shape"], ["board.points"], &[]);
        let order = ("perm", Attribute::Integers(&[0, 1, 3, 2]));
        graph.node("Transpose", &["board.points"], ["board.states"], &[order]);
        graph.node("Reshape", &["board.states", "board.shape"], ["board"], &[]);
        graph.node("Gemm", &["situation", "input.situation"], ["situation.sums"], &[TRANSPOSED]);
        graph.node("Reshape", &["situation.sums", "alike.shape"], ["situation.alike"], &[]);
        self.convolution("input", "board", "board.sums");
        let graph = &mut self.graph;
        graph.node("Add", &["board.sums", "situation.alike"], ["input.sums"], &[]);
        graph.node("Relu", &["input.sums"], ["input"], &[]);
        "input".to_owned()
    }

    fn block(&mut self, name: &str, channels: usize, input: &str) -> String {
        let part = |part: &str| format!("{name}.{part}");
        let [first, second, squeeze, gate] = ["first", "second", "squeeze", "gate"].map(part);
        let [hidden, u, mean, most, pooled] = ["hidden", "u", "mean", "most", "pooled"].map(part);
        self.convolution(&first, input, &part("first.sums"));
        self.graph.node("Relu", &[&part("first.sums")], [&hidden], &[]);
        self.convolution(&second, &hidden, &u);

        self.graph.node("GlobalAveragePool", &[&u], [&mean], &[]);
        self.graph.node("GlobalMaxPool", &[&u], [&most], &[]);
        self.graph.node("Concat", &[&mean, &most], [&pooled], &[CHANNELS]);
        self.pointwise(&squeeze, channels / 4, 2 * channels, &pooled, &part("squeeze.sums"));
        self.graph.node("Relu", &[&part("squeeze.sums")], [&part("squeezed")], &[]);
        self.pointwise(&gate, 2 * channels, channels / 4, &part("squeezed"), &part("gates"));
        let [factors, summands, shares] = ["factors", "summands", "shares"].map(part);
        self.graph.node("Split", &[&part("gates"), "gate.split"], [&factors, &summands], &[CHANNELS]);
        self.graph.node("Sigmoid", &[&factors], [&shares], &[]);

        let [product, branch, sum] = ["product", "branch", "sum"].map(part);
        self.graph.node("Mul", &[&u, &shares], [&product], &[]);
        self.graph.node("Add", &[&product, &summands], [&branch], &[]);
        self.graph.node("Add", &[input, &branch], [&sum], &[]);
        self.graph.node("Relu", &[&sum], [name], &[]);
        name.to_owned()
    }

    /// To `outputs`, and from there to result and moves left.
    fn value(&mut self, top: &str) {
        let channels = self.channels("value.planes");
        self.pointwise("value.planes", VALUE_PLANES, channels, top, "value.planes.sums");
        let graph = &mut self.graph;
        graph.node("Relu", &["value.planes.sums"], ["value.planes"], &[]);
        graph.node("Reshape", &["value.planes", "value.shape"], ["value.inputs"], &[]);
        graph.node("Gemm", &["value.inputs", "value.weight", "value.bias"], ["value.sums"], &[TRANSPOSED]);
        graph.node("Relu", &["value.sums"], ["value"], &[]);
        graph.node("Gemm", &["value", "value.out.weight", "value.out.bias"], ["outputs"], &[TRANSPOSED]);
        result_and_moves_left(graph);
    }

    fn policy(&mut self, top: &str) {
        let channels = self.channels("policy.from");
        self.pointwise("policy.from", POLICY_KEYS, channels, top, "policy.from.points");
        self.pointwise("policy.to", POLICY_KEYS, channels, top, "policy.to.points");
        let graph = &mut self.graph;
        graph.node("Reshape", &["policy.from.points", "keys.shape"], ["policy.from.columns"], &[]);
        let order = ("perm", Attribute::Integers(&[0, 2, 1]));
        graph.node("Transpose", &["policy.from.columns"], ["policy.from"], &[order]);
        graph.node("Reshape", &["policy.to.points", "keys.shape"], ["policy.to"], &[]);
        graph.node("MatMul", &["policy.from", "policy.to"], ["pairs.products"], &[]);
        graph.node("Mul", &["pairs.products", "pairs.scale"], ["pairs.scaled"], &[]);
        graph.node("Reshape", &["pairs.scaled", "pairs.shape"], ["pairs"], &[]);
        graph.node("Gather", &["pairs", "pairs.of_moves"], ["pairs.logits"], &[CHANNELS]);
        graph.node("Add", &["pairs.logits", "policy.bias"], ["policy.rows"], &[]);
        exchanges(graph, self.weights);
    }

    fn channels(&self, layer: &str) -> usize {
        self.weights.tensors()[&format!("{layer}.weight")].shape[1]
    }

    /// A convolution of 3 × 3 with a border of zeros, by the layer's weight and bias.
    fn convolution(&mut self, layer: &str, input: &str, output: &str) {
        let [weight, bias] = ["weight", "bias"].map(|part| format!("{layer}.{part}"));
        let shape = &self.weights.tensors()[&weight].shape;
        self.floats(&weight, shape);
        self.floats(&bias, &shape[..1]);
        self.graph.node("Conv", &[input, &weight, &bias], [output], &[BORDER]);
    }

    /// A linear layer at each point by itself.
    fn pointwise(&mut self, layer: &str, out: usize, inputs: usize, input: &str, output: &str) {
        let [weight, bias] = ["weight", "bias"].map(|part| format!("{layer}.{part}"));
        self.floats(&weight, &[out, inputs, 1, 1]);
        self.floats(&bias, &[out]);
        self.graph.node("Conv", &[input, &weight, &bias], [output], &[]);
    }
}
