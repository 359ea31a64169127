//! `printf`'s formats.

use super::super::call::Arg;
use super::super::loop_exit::Stop;
use super::host::{Host, word};
use crate::stmt::Trap;
use crate::types::{FloatKind, Type, signed};

/// What glibc prints for a null string.
const NULL_STRING: &[u8] = b"(null)";

/// What a format and its arguments give.
pub(super) enum Rendered {
    /// The text.
    Text(Vec<u8>),
    /// Something in it has no text that all runs share.
    Opaque {
        /// What it is.
        what: &'static str,
        /// The strings among the arguments, by position.
        strings: Vec<(u32, Vec<u8>)>,
    },
}

/// One conversion: flags, width, precision, and how wide its argument is.
#[derive(Clone, Copy, Default)]
struct Conversion {
    left: bool,
    plus: bool,
    space: bool,
    alternative: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    bits: u16,
}

/// Widths and precisions beyond this are taken for mistakes.
const WIDEST: usize = 1 << 20;

/// Renders a format.
pub(super) fn render(host: &mut Host<'_>, format: &[u8], args: &[Arg]) -> Result<Rendered, Stop> {
    let mut text = vec![];
    let mut strings = vec![];
    let mut opaque = None;
    let mut next = 0;
    let mut rest = format;
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if *byte != b'%' {
            text.push(*byte);
            continue;
        }
        let Some((conversion, letter, after)) = parse(rest, args, &mut next) else {
            opaque.get_or_insert("with a format that is not understood");
            break;
        };
        rest = after;
        if letter == b'%' {
            text.push(b'%');
            continue;
        }
        // Too few arguments is a call that C does not allow.
        let Some(arg) = args.get(next).copied() else { return Err(Trap::BadCall.into()) };
        match letter {
            b'd' | b'i' => {
                let value = signed(arg.bits, conversion.bits.min(arg.ty.width()));
                conversion.number(&mut text, value < 0, &value.unsigned_abs().to_string());
            }
            b'u' => conversion.unsigned(&mut text, arg, "", |v| v.to_string()),
            b'x' => conversion.unsigned(&mut text, arg, "0x", |v| format!("{v:x}")),
            b'X' => conversion.unsigned(&mut text, arg, "0X", |v| format!("{v:X}")),
            b'o' => conversion.unsigned(&mut text, arg, "0", |v| format!("{v:o}")),
            b'c' if conversion.bits == 32 => conversion.padded(&mut text, &[arg.bits as u8]),
            b's' if arg.ty == Type::Ptr && conversion.bits == 32 => {
                let most = conversion.precision.map_or(u64::MAX, |p| p as u64);
                let string = match word(arg) {
                    // As glibc: the word, or nothing if there is no room for it.
                    0 if most >= NULL_STRING.len() as u64 => NULL_STRING.to_vec(),
                    0 => vec![],
                    address => host.string(address, most)?,
                };
                conversion.padded(&mut text, &string);
                strings.push((next as u32, string));
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' if arg.ty == Type::Float(FloatKind::Double) => {
                conversion.float(&mut text, f64::from_bits(arg.bits as u64), letter);
            }
            b'p' => {
                opaque.get_or_insert("of an address");
            }
            _ => {
                opaque.get_or_insert("with such a conversion");
            }
        }
        next += 1;
    }
    Ok(match opaque {
        None => Rendered::Text(text),
        Some(what) => Rendered::Opaque { what, strings },
    })
}

/// Reads a conversion behind its `%`: itself, its letter, and what follows. `*` takes arguments.
fn parse<'f>(
    format: &'f [u8],
    args: &[Arg],
    next: &mut usize,
) -> Option<(Conversion, u8, &'f [u8])> {
    let mut conversion = Conversion { bits: 32, ..Conversion::default() };
    let mut rest = format;
    loop {
        match rest.first()? {
            b'-' => conversion.left = true,
            b'+' => conversion.plus = true,
            b' ' => conversion.space = true,
            b'#' => conversion.alternative = true,
            b'0' => conversion.zero = true,
            _ => break,
        }
        rest = &rest[1..];
    }
    let mut number = |rest: &mut &'f [u8]| -> Option<i64> {
        if rest.first() == Some(&b'*') {
            *rest = &rest[1..];
            let value = signed(args.get(*next)?.bits, 32);
            *next += 1;
            return i64::try_from(value).ok();
        }
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        let (digits, after) = rest.split_at(digits);
        *rest = after;
        let add = |n: i64, d: &u8| n.saturating_mul(10).saturating_add(i64::from(d - b'0'));
        Some(digits.iter().fold(0, add))
    };
    let width = number(&mut rest)?;
    conversion.left |= width < 0;
    conversion.width = usize::try_from(width.unsigned_abs()).ok().filter(|w| *w < WIDEST)?;
    if rest.first() == Some(&b'.') {
        rest = &rest[1..];
        let precision = number(&mut rest)?;
        conversion.precision = usize::try_from(precision).ok();
        if conversion.precision.is_some_and(|p| p >= WIDEST) {
            return None;
        }
    }
    for (length, bits) in [
        (&b"hh"[..], 8),
        (b"h", 16),
        (b"ll", 64),
        (b"l", 64),
        (b"z", 64),
        (b"j", 64),
        (b"t", 64),
        (b"q", 64),
    ] {
        if let Some(after) = rest.strip_prefix(length) {
            rest = after;
            conversion.bits = bits;
            break;
        }
    }
    let (letter, after) = rest.split_first()?;
    Some((conversion, *letter, after))
}

impl Conversion {
    fn padded(&self, text: &mut Vec<u8>, body: &[u8]) {
        let pad = self.width.saturating_sub(body.len());
        let blanks = std::iter::repeat_n(b' ', pad);
        if self.left {
            text.extend_from_slice(body);
            text.extend(blanks);
        } else {
            text.extend(blanks);
            text.extend_from_slice(body);
        }
    }

    /// Sign or prefix, zeros, digits; `zeros` says whether the width may be filled with zeros.
    fn assemble(&self, text: &mut Vec<u8>, prefix: &str, digits: &str, zeros: bool) {
        let len = prefix.len() + digits.len();
        let fill =
            if self.zero && !self.left && zeros { self.width.saturating_sub(len) } else { 0 };
        let body = format!("{prefix}{}{digits}", "0".repeat(fill));
        self.padded(text, body.as_bytes());
    }

    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.space) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        }
    }

    fn number(&self, text: &mut Vec<u8>, negative: bool, digits: &str) {
        let digits = self.with_precision(digits);
        self.assemble(text, self.sign(negative), &digits, self.precision.is_none());
    }

    /// At least as many digits as the precision says; none for zero if it says zero.
    fn with_precision(&self, digits: &str) -> String {
        match self.precision {
            Some(0) if digits == "0" => String::new(),
            Some(least) => format!("{}{digits}", "0".repeat(least.saturating_sub(digits.len()))),
            None => digits.to_owned(),
        }
    }

    fn unsigned(&self, text: &mut Vec<u8>, arg: Arg, prefix: &str, digits: fn(u128) -> String) {
        let value = arg.bits & crate::types::mask(self.bits.min(arg.ty.width()));
        let mut digits = self.with_precision(&digits(value));
        let mut shown = "";
        if self.alternative {
            match prefix {
                // For octal numbers "alternative" means that the first digit is a zero.
                "0" if !digits.starts_with('0') => digits.insert(0, '0'),
                "0x" | "0X" if value != 0 => shown = prefix,
                _ => {}
            }
        }
        self.assemble(text, shown, &digits, self.precision.is_none());
    }

    fn float(&self, text: &mut Vec<u8>, value: f64, letter: u8) {
        let upper = letter.is_ascii_uppercase();
        let sign = self.sign(value.is_sign_negative() && !value.is_nan());
        let magnitude = value.abs();
        if !magnitude.is_finite() {
            let name = if value.is_nan() { "nan" } else { "inf" };
            let name = if upper { name.to_uppercase() } else { name.to_owned() };
            return self.assemble(text, sign, &name, false);
        }
        let precision = self.precision.unwrap_or(6);
        let mut digits = match letter.to_ascii_lowercase() {
            b'f' => self.fixed(magnitude, precision),
            b'e' => self.scientific(magnitude, precision),
            _ => self.general(magnitude, precision.max(1)),
        };
        if upper {
            digits.make_ascii_uppercase();
        }
        self.assemble(text, sign, &digits, true);
    }

    fn fixed(&self, value: f64, precision: usize) -> String {
        let point = if precision == 0 && self.alternative { "." } else { "" };
        let (shown, zeros) = shown(precision);
        format!("{value:.shown$}{point}{zeros}")
    }

    fn scientific(&self, value: f64, precision: usize) -> String {
        let (digits, exponent) = parts(value, precision);
        let point = if precision == 0 && self.alternative { "." } else { "" };
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{digits}{point}e{sign}{:02}", exponent.unsigned_abs())
    }

    fn general(&self, value: f64, precision: usize) -> String {
        let (_, exponent) = parts(value, precision - 1);
        let scientific = exponent < -4 || exponent >= precision as i32;
        let text = if scientific {
            self.scientific(value, precision - 1)
        } else {
            self.fixed(value, (precision as i32 - 1 - exponent).max(0) as usize)
        };
        if self.alternative {
            return text;
        }
        let (digits, power) = match text.find('e') {
            Some(at) => text.split_at(at),
            None => (&text[..], ""),
        };
        let digits = if digits.contains('.') {
            digits.trim_end_matches('0').trim_end_matches('.')
        } else {
            digits
        };
        format!("{digits}{power}")
    }
}

/// How many digits behind the point are asked of Rust, which takes no large numbers, and the zeros behind them: a double has
/// at most 1,074.
fn shown(precision: usize) -> (usize, String) {
    let shown = precision.min(1_100);
    (shown, "0".repeat(precision - shown))
}

/// Digits with one before the point, and the exponent of ten.
fn parts(value: f64, precision: usize) -> (String, i32) {
    let (shown, zeros) = shown(precision);
    let text = format!("{value:.shown$e}");
    match text.split_once('e') {
        Some((digits, exponent)) => (format!("{digits}{zeros}"), exponent.parse().unwrap_or(0)),
        None => (text, 0),
    }
}
