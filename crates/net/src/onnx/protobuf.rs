//! As much of the Protocol Buffers wire format as a writer of ONNX needs: numbers, texts, and messages in messages
//! (<https://protobuf.dev/programming-guides/encoding/>).

/// The bytes of a message.
#[derive(Clone, Default)]
pub(super) struct Message(Vec<u8>);

const VARINT: u64 = 0;
const LENGTH_DELIMITED: u64 = 2;

impl Message {
    /// Adds a field that is a number. None that ONNX wants here is negative.
    pub(super) fn number(mut self, field: u64, value: u64) -> Self {
        self.varint(field << 3 | VARINT);
        self.varint(value);
        self
    }

    /// Adds a field that is a text.
    pub(super) fn text(self, field: u64, text: &str) -> Self {
        self.bytes(field, text.as_bytes())
    }

    /// Adds a field that is a message.
    pub(super) fn message(self, field: u64, message: &Self) -> Self {
        self.bytes(field, &message.0)
    }

    /// Adds a field that is bytes.
    pub(super) fn bytes(mut self, field: u64, bytes: &[u8]) -> Self {
        self.varint(field << 3 | LENGTH_DELIMITED);
        self.varint(bytes.len() as u64);
        self.0.extend(bytes);
        self
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// Seven bits a byte, the lowest first; the highest bit says that more follow.
    fn varint(&mut self, mut value: u64) {
        while 0x80 <= value {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the page above: 150 in field 1, "testing" in field 2, the first in field 3 of another.
    #[test]
    fn bytes_are_those_of_the_specification() {
        let number = Message::default().number(1, 150);
        assert_eq!(number.0, [0x08, 0x96, 0x01]);
        assert_eq!(Message::default().text(2, "testing").0, b"\x12\x07testing");
        assert_eq!(Message::default().message(3, &number).into_bytes(), [0x1a, 0x03, 0x08, 0x96, 0x01]);
    }
}
