//! What ranks say to one another.

use jewel_engine::value::Side;

/// The most bytes of a message's payload before it is compressed, but for a block that has more.
pub(super) const PART: usize = 4 << 20;
/// A payload of this length or less, as it says itself, may be unpacked.
const MAX_PART: usize = 1 << 30;

/// A message. `epoch` counts the windows of all classes, so that ranks that are ahead are understood.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Message {
    /// What this rank is going to build: all ranks must say the same.
    Hello(String),
    /// From rank 0: the class of this number is next. `None`: all is done.
    Next(Option<u32>),
    /// From rank 0: the table of the class of this number is written next, and each rank codes its share.
    Code(u32),
    /// To or from rank 0: what the writer of that table and its helpers have to say.
    Coded(Vec<u8>),
    /// Blocks of a slice of the receiver: see [`lend`](crate::retrograde::sweep::State::lend).
    Minima(MinimaMessage),
    /// The receiver may send minima of these slices again, by slice and side to move.
    Used { epoch: u32, slices: Vec<(u32, Side)> },
    /// From rank 0: a wave of Mattern's method.
    Probe { epoch: u32, wave: u32 },
    /// The answer.
    Answer { epoch: u32, sent: u64, received: u64 },
    /// From rank 0: nothing will change any more in this window.
    Settled { epoch: u32 },
    /// Whether there are values beyond the window.
    Beyond { epoch: u32, any: bool },
    /// From rank 0: whether any rank has such values.
    Verdict { epoch: u32, beyond: bool },
    /// To rank 0: the next values of the sender's slices.
    Values(Vec<u8>),
    /// From rank 0: the values of the window are in their file.
    Written { epoch: u32 },
    /// To rank 0: the sender has opened the values of the class that was solved last, so that they may be removed.
    Opened,
    /// The receiver has taken messages with so many bytes in all.
    Taken(u64),
    /// The sender has to stop: the reason, or that it was interrupted.
    Failed(Option<String>),
    /// The sender has done all there is to do.
    Bye,
}

/// See [`Message::Minima`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct MinimaMessage {
    pub(super) epoch: u32,
    pub(super) slice: u32,
    pub(super) turn: Side,
    /// Whether these are the last blocks that are news.
    pub(super) complete: bool,
    /// The numbers of the blocks.
    pub(super) blocks: Vec<u32>,
    /// Their values, one after the other.
    pub(super) values: Vec<u8>,
}

impl Message {
    /// Whether a sender waits when the receiver has not taken many such messages.
    pub(super) fn is_counted(&self) -> bool {
        matches!(self, Message::Minima(_) | Message::Values(_) | Message::Coded(_))
    }

    /// The window that it is about; `None` for messages that are about none.
    pub(super) fn epoch(&self) -> Option<u32> {
        match self {
            Message::Minima(m) => Some(m.epoch),
            Message::Used { epoch, .. }
            | Message::Probe { epoch, .. }
            | Message::Answer { epoch, .. }
            | Message::Settled { epoch }
            | Message::Beyond { epoch, .. }
            | Message::Verdict { epoch, .. }
            | Message::Written { epoch } => Some(*epoch),
            _ => None,
        }
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Writer(vec![]);
        match self {
            Message::Hello(text) => out.byte(0).bytes(text.as_bytes()),
            Message::Next(class) => out.byte(1).number(class.map_or(u32::MAX, |class| class)),
            Message::Minima(m) => {
                out.byte(2).number(m.epoch).number(m.slice).byte(m.turn.index() as u8);
                out.byte(u8::from(m.complete)).number(m.blocks.len() as u32);
                // Mostly runs of numbers: their differences are shorter when packed.
                let mut packed = Writer(Vec::with_capacity(4 * m.blocks.len() + m.values.len()));
                let mut before = u32::MAX;
                for &block in &m.blocks {
                    packed.number(block.wrapping_sub(before));
                    before = block;
                }
                packed.bytes(&m.values);
                out.bytes(&lz4_flex::compress_prepend_size(&packed.0))
            }
            Message::Used { epoch, slices } => {
                out.byte(3).number(*epoch);
                for (slice, turn) in slices {
                    out.number(*slice).byte(turn.index() as u8);
                }
                &mut out
            }
            Message::Probe { epoch, wave } => out.byte(4).number(*epoch).number(*wave),
            Message::Answer { epoch, sent, received } => {
                out.byte(5).number(*epoch).long(*sent).long(*received)
            }
            Message::Settled { epoch } => out.byte(6).number(*epoch),
            Message::Beyond { epoch, any } => out.byte(7).number(*epoch).byte(u8::from(*any)),
            Message::Verdict { epoch, beyond } => out.byte(8).number(*epoch).byte(u8::from(*beyond)),
            Message::Values(values) => out.byte(9).bytes(&lz4_flex::compress_prepend_size(values)),
            Message::Written { epoch } => out.byte(10).number(*epoch),
            Message::Taken(bytes) => out.byte(11).long(*bytes),
            Message::Failed(reason) => out
                .byte(12)
                .byte(u8::from(reason.is_some()))
                .bytes(reason.as_deref().unwrap_or("").as_bytes()),
            Message::Bye => out.byte(13),
            Message::Opened => out.byte(14),
            Message::Code(class) => out.byte(15).number(*class),
            Message::Coded(blocks) => out.byte(16).bytes(blocks),
        };
        out.0
    }

    /// The message that bytes stand for; `None` if they stand for none.
    pub(super) fn decode(bytes: &[u8]) -> Option<Message> {
        let mut input = Reader(bytes);
        let message = match input.byte()? {
            0 => Message::Hello(String::from_utf8(input.rest().to_vec()).ok()?),
            1 => Message::Next(Some(input.number()?).filter(|&class| class != u32::MAX)),
            2 => {
                let (epoch, slice, turn) = (input.number()?, input.number()?, input.side()?);
                let (complete, count) = (input.flag()?, input.number()? as usize);
                let packed = unpack(input.rest())?;
                let mut packed = Reader(&packed);
                let mut before = u32::MAX;
                let mut block = || {
                    before = before.wrapping_add(packed.number()?);
                    Some(before)
                };
                let mut blocks = vec![];
                for _ in 0..count {
                    blocks.push(block()?);
                }
                let values = packed.rest().to_vec();
                Message::Minima(MinimaMessage { epoch, slice, turn, complete, blocks, values })
            }
            3 => {
                let epoch = input.number()?;
                let mut slices = vec![];
                while !input.0.is_empty() {
                    slices.push((input.number()?, input.side()?));
                }
                Message::Used { epoch, slices }
            }
            4 => Message::Probe { epoch: input.number()?, wave: input.number()? },
            5 => Message::Answer { epoch: input.number()?, sent: input.long()?, received: input.long()? },
            6 => Message::Settled { epoch: input.number()? },
            7 => Message::Beyond { epoch: input.number()?, any: input.flag()? },
            8 => Message::Verdict { epoch: input.number()?, beyond: input.flag()? },
            9 => Message::Values(unpack(input.rest())?),
            10 => Message::Written { epoch: input.number()? },
            11 => Message::Taken(input.long()?),
            12 => {
                let is_reason = input.flag()?;
                let text = String::from_utf8_lossy(input.rest()).into_owned();
                Message::Failed(is_reason.then_some(text))
            }
            13 => Message::Bye,
            14 => Message::Opened,
            15 => Message::Code(input.number()?),
            16 => Message::Coded(input.rest().to_vec()),
            _ => return None,
        };
        input.0.is_empty().then_some(message)
    }
}

fn unpack(bytes: &[u8]) -> Option<Vec<u8>> {
    let length = u32::from_le_bytes(*bytes.first_chunk()?) as usize;
    if length > MAX_PART { None } else { lz4_flex::decompress_size_prepended(bytes).ok() }
}

struct Writer(Vec<u8>);

impl Writer {
    fn byte(&mut self, byte: u8) -> &mut Self {
        self.bytes(&[byte])
    }

    fn number(&mut self, number: u32) -> &mut Self {
        self.bytes(&number.to_le_bytes())
    }

    fn long(&mut self, number: u64) -> &mut Self {
        self.bytes(&number.to_le_bytes())
    }

    fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend_from_slice(bytes);
        self
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn chunk<const K: usize>(&mut self) -> Option<[u8; K]> {
        let (chunk, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*chunk)
    }

    fn byte(&mut self) -> Option<u8> {
        self.chunk().map(|[byte]| byte)
    }

    fn flag(&mut self) -> Option<bool> {
        self.byte().filter(|&byte| byte < 2).map(|byte| byte == 1)
    }

    fn side(&mut self) -> Option<Side> {
        Side::BOTH.get(usize::from(self.byte()?)).copied()
    }

    fn number(&mut self) -> Option<u32> {
        self.chunk().map(u32::from_le_bytes)
    }

    fn long(&mut self) -> Option<u64> {
        self.chunk().map(u64::from_le_bytes)
    }

    fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn messages() -> Vec<Message> {
        let minima = MinimaMessage {
            epoch: 3,
            slice: 70_000,
            turn: Side::Black,
            complete: true,
            blocks: vec![0, 1, 2, 9, 400_000],
            values: vec![128; 5000],
        };
        vec![
            Message::Hello("ambush é".into()),
            Message::Next(Some(4)),
            Message::Next(None),
            Message::Minima(minima),
            Message::Used { epoch: 1, slices: vec![(3, Side::White), (70_000, Side::Black)] },
            Message::Probe { epoch: 1, wave: 2 },
            Message::Answer { epoch: 1, sent: 1 << 40, received: 7 },
            Message::Settled { epoch: 9 },
            Message::Beyond { epoch: 1, any: true },
            Message::Verdict { epoch: 1, beyond: false },
            Message::Values(vec![1, 2, 3]),
            Message::Written { epoch: 1 },
            Message::Taken(5),
            Message::Failed(None),
            Message::Failed(Some("no space left".into())),
            Message::Bye,
            Message::Opened,
        ]
    }

    #[test]
    fn messages_are_read_as_they_were_written() {
        for message in messages() {
            let bytes = message.encode();
            assert_eq!(Message::decode(&bytes), Some(message));
        }
        assert_eq!(Message::decode(&[]), None);
        assert_eq!(Message::decode(&[13, 0]), None, "bytes are left over");
        assert!(Message::Values(vec![128; 100_000]).encode().len() < 1000, "runs are short");
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Message::decode(&bytes);
        }

        #[test]
        fn damaged_messages_are_read_or_refused(
            which in 0usize..17, at in any::<prop::sample::Index>(), byte in any::<u8>()
        ) {
            let mut bytes = messages()[which].encode();
            let at = at.index(bytes.len());
            bytes[at] = byte;
            let _ = Message::decode(&bytes);
        }
    }
}
