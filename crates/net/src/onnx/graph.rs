//! An ONNX model, built node by node. Field numbers are those of `onnx.proto`
//! (<https://github.com/onnx/onnx/blob/main/onnx/onnx.proto>).

use super::protobuf::Message;

/// The version of the file format that goes with the operators below.
const IR_VERSION: u64 = 8;
/// Which operators there are.
const OPSET: u64 = 17;
/// `TensorProto.DataType`.
const FLOAT: u64 = 1;
const INT64: u64 = 7;
/// The same, to be cast to.
pub(super) const INT32: u64 = 6;
/// `AttributeProto.AttributeType`.
const INT: u64 = 2;
const INTS: u64 = 7;

/// What an operator is told besides its inputs.
#[derive(Clone, Copy)]
pub(super) enum Attribute<'a> {
    Integer(u64),
    Integers(&'a [u64]),
}

/// A graph in the making. Everything is a float; the first dimension of inputs and outputs is the batch.
#[derive(Default)]
pub(super) struct Graph(Message);

impl Graph {
    /// An input `[batch, width]`.
    pub(super) fn input(&mut self, name: &str, width: usize, about: &str) {
        self.add(11, &port(name, width, about));
    }

    /// An output `[batch, width]`.
    pub(super) fn output(&mut self, name: &str, width: usize, about: &str) {
        self.add(12, &port(name, width, about));
    }

    /// A constant.
    pub(super) fn floats(&mut self, name: &str, shape: &[usize], values: impl IntoIterator<Item = f32>) {
        let bytes: Vec<u8> = values.into_iter().flat_map(f32::to_le_bytes).collect();
        self.constant(name, shape, FLOAT, &bytes);
    }

    /// A constant of whole numbers.
    pub(super) fn integers(&mut self, name: &str, values: &[i64]) {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.constant(name, &[values.len()], INT64, &bytes);
    }

    fn constant(&mut self, name: &str, shape: &[usize], kind: u64, values: &[u8]) {
        let dims = shape.iter().fold(Message::default(), |tensor, &size| tensor.number(1, size as u64));
        self.add(5, &dims.number(2, kind).text(8, name).bytes(9, values));
    }

    /// A node, named like the first of its outputs.
    pub(super) fn node<const OUT: usize>(
        &mut self,
        operator: &str,
        inputs: &[&str],
        outputs: [&str; OUT],
        attributes: &[(&str, Attribute<'_>)],
    ) {
        let node = inputs.iter().fold(Message::default(), |node, input| node.text(1, input));
        let node = outputs.iter().fold(node, |node, output| node.text(2, output));
        let node = node.text(3, outputs[0]).text(4, operator);
        let node = attributes.iter().fold(node, |node, &(name, value)| {
            let attribute = Message::default().text(1, name);
            let attribute = match value {
                Attribute::Integer(value) => attribute.number(3, value).number(20, INT),
                Attribute::Integers(values) => {
                    values.iter().fold(attribute, |all, &value| all.number(8, value)).number(20, INTS)
                }
            };
            node.message(5, &attribute)
        });
        self.add(1, &node);
    }

    fn add(&mut self, field: u64, message: &Message) {
        self.0 = std::mem::take(&mut self.0).message(field, message);
    }

    /// The file: the graph with what is to be known about it.
    pub(super) fn into_model(self, name: &str, about: &str, metadata: &[(&str, &str)]) -> Vec<u8> {
        let opset = Message::default().text(1, "").number(2, OPSET);
        let model = Message::default()
            .number(1, IR_VERSION)
            .text(2, "meihua")
            .text(3, env!("CARGO_PKG_VERSION"))
            .text(6, about)
            .message(7, &self.0.text(2, name))
            .message(8, &opset);
        let entries = metadata.iter().map(|(key, value)| Message::default().text(1, key).text(2, value));
        entries.fold(model, |model, entry| model.message(14, &entry)).into_bytes()
    }
}

fn port(name: &str, width: usize, about: &str) -> Message {
    let [batch, width] = [Message::default().text(2, "batch"), Message::default().number(1, width as u64)];
    let shape = Message::default().message(1, &batch).message(1, &width);
    let tensor = Message::default().number(1, FLOAT).message(2, &shape);
    Message::default().text(1, name).message(2, &Message::default().message(1, &tensor)).text(3, about)
}
