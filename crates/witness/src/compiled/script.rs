//! What compiled code finds outside: a script says how functions that are not linked answer, a log says how they
//! were called and what was printed. `outside.c` has the format of both.

use verdiff_model::{ExternId, GlobalId};

/// How one call is answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answered {
    /// Which function must be called next.
    pub external: ExternId,
    /// Whether it returns.
    pub returns: bool,
    /// How many bytes of the argument area are logged.
    pub args_size: u32,
    /// The result area.
    pub results: Vec<u8>,
    /// Arguments beyond the declared ones.
    pub further: Vec<Further>,
    /// How many bytes behind pointers are logged.
    pub looks: Vec<(ArgPlace, u32)>,
    /// What is written behind pointers: how far behind, and what.
    pub fills: Vec<(ArgPlace, i64, Vec<u8>)>,
    /// What is written to globals, after that: how far from the start, and what.
    pub writes: Vec<(GlobalId, u64, Vec<u8>)>,
    /// The argument that it returns, if it returns one.
    pub returned: Option<ArgPlace>,
}

/// Where an argument is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgPlace {
    /// In the argument area.
    Area(u32),
    /// Among the further ones.
    Further(u32),
}

/// How an argument beyond the declared ones is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Further {
    /// As an integer or pointer.
    Word = 0,
    /// As a `double`.
    Double = 1,
    /// As a `long double`.
    Extended = 2,
}

/// What happened between a compiled run and the outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Logged {
    /// A function that is not linked was called.
    Call {
        /// Which.
        external: ExternId,
        /// Its argument area.
        args: Vec<u8>,
        /// Its further arguments, 16 bytes each.
        further: Vec<[u8; 16]>,
        /// What was behind its pointers, where the script wanted to know.
        looks: Vec<Vec<u8>>,
    },
    /// Something was printed.
    Printed {
        /// Where to.
        to: Stream,
        /// What.
        bytes: Vec<u8>,
    },
}

/// Where something is printed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stream {
    /// A descriptor.
    Descriptor(u64),
    /// A `FILE *`, by its address.
    File(u64),
    /// One of the library's streams: 0 for `stdin`, 1 for `stdout`, 2 for `stderr`.
    Standard(u64),
}

pub(super) fn encode(script: &[Answered], message: &mut Message) {
    let arg = |place: ArgPlace| match place {
        ArgPlace::Area(offset) => offset,
        ArgPlace::Further(number) => 1 << 31 | number,
    };
    message.word32(script.len() as u32);
    for answered in script {
        message.word32(answered.external.0);
        message.word32(u32::from(answered.returns));
        message.word32(answered.args_size);
        message.block(&answered.results);
        message.word32(answered.further.len() as u32);
        answered.further.iter().for_each(|class| message.word32(*class as u32));
        message.word32(answered.looks.len() as u32);
        for (place, size) in &answered.looks {
            message.word32(arg(*place));
            message.word32(*size);
        }
        message.word32(answered.fills.len() as u32);
        for (place, offset, bytes) in &answered.fills {
            message.word32(arg(*place));
            message.word64(*offset as u64);
            message.block(bytes);
        }
        message.word32(answered.writes.len() as u32);
        for (global, offset, bytes) in &answered.writes {
            message.word32(global.0);
            message.word64(*offset);
            message.block(bytes);
        }
        message.word32(u32::from(answered.returned.is_some()));
        answered.returned.into_iter().for_each(|place| message.word32(arg(place)));
    }
}

/// The log; what a run that faulted within a call left half written is dropped.
pub(super) fn decode_log(bytes: &[u8]) -> Vec<Logged> {
    let mut reader = ResultReader(bytes);
    let mut log: Vec<Logged> = vec![];
    while let Some(logged) = decode_logged(&mut reader) {
        match (log.last_mut(), logged) {
            // How it was cut into calls is nobody's business.
            (
                Some(Logged::Printed { to, bytes }),
                Logged::Printed { to: next, bytes: mut more },
            ) if *to == next => bytes.append(&mut more),
            (_, logged) => log.push(logged),
        }
    }
    log.retain(|logged| !matches!(logged, Logged::Printed { bytes, .. } if bytes.is_empty()));
    log
}

fn decode_logged(reader: &mut ResultReader<'_>) -> Option<Logged> {
    if reader.word32()? == 0 {
        let external = ExternId(reader.word32()?);
        let args = reader.block()?;
        let mut further = vec![];
        for _ in 0..reader.word32()? {
            further.push(reader.chunk()?);
        }
        let mut looks = vec![];
        for _ in 0..reader.word32()? {
            looks.push(reader.block()?);
        }
        return Some(Logged::Call { external, args, further, looks });
    }
    let (kind, number) = (reader.word32()?, reader.word64()?);
    let to = match kind {
        0 => Stream::Descriptor(number),
        1 => Stream::File(number),
        _ => Stream::Standard(number),
    };
    Some(Logged::Printed { to, bytes: reader.block()? })
}

#[derive(Default)]
pub(super) struct Message {
    pub(super) bytes: Vec<u8>,
}

impl Message {
    pub(super) fn word32(&mut self, word: u32) {
        self.bytes.extend(word.to_le_bytes());
    }

    pub(super) fn word64(&mut self, word: u64) {
        self.bytes.extend(word.to_le_bytes());
    }

    pub(super) fn block(&mut self, bytes: &[u8]) {
        self.word32(bytes.len() as u32);
        self.bytes.extend_from_slice(bytes);
    }
}

pub(super) struct ResultReader<'a>(pub(super) &'a [u8]);

impl ResultReader<'_> {
    pub(super) fn word32(&mut self) -> Option<u32> {
        let (word, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*word))
    }

    pub(super) fn word64(&mut self) -> Option<u64> {
        let (word, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*word))
    }

    fn chunk<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (chunk, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*chunk)
    }

    pub(super) fn block(&mut self) -> Option<Vec<u8>> {
        let length = self.word32()? as usize;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes.to_vec())
    }
}
