//! Variable argument lists (`va_list` of the System V ABI for x86-64), as `vprintf` and its kind read them.

use super::super::call::Arg;
use super::super::loop_exit::Stop;
use super::host::Host;
use crate::types::{FloatKind, Type};

/// Offsets in the list, and where its registers end.
const FLOATING: u64 = 4;
const STACK: u64 = 8;
const REGISTERS: u64 = 16;
const GENERAL_END: u32 = 48;
const FLOATING_END: u32 = 176;

/// The arguments that a format asks for, taken from a list, which is advanced as `va_arg` advances it. They end where the format is not understood.
pub(super) fn arguments(host: &mut Host<'_>, format: &[u8], list: u64) -> Result<Vec<Arg>, Stop> {
    let mut args = vec![];
    for ty in types(format) {
        let at = match ty {
            Type::Float(_) => next(host, list + FLOATING, FLOATING_END, 16, list)?,
            _ => next(host, list, GENERAL_END, 8, list)?,
        };
        let mut bits = [0; 8];
        let bytes = host.bytes(at, ty.bytes())?;
        bits[..bytes.len()].copy_from_slice(bytes);
        args.push(Arg { bits: u64::from_le_bytes(bits).into(), ty });
    }
    Ok(args)
}

/// Where the next argument is: in the registers if any are left, else on the stack.
fn next(host: &mut Host<'_>, offset_at: u64, end: u32, step: u32, list: u64) -> Result<u64, Stop> {
    let offset = u32::from_le_bytes(read(host, offset_at)?);
    if offset <= end - step {
        let registers = u64::from_le_bytes(read(host, list + REGISTERS)?);
        host.put_int(offset_at, (offset + step).to_le_bytes())?;
        return Ok(registers.wrapping_add(offset.into()));
    }
    let stack = u64::from_le_bytes(read(host, list + STACK)?);
    host.put_int(list + STACK, stack.wrapping_add(8).to_le_bytes())?;
    Ok(stack)
}

fn read<const N: usize>(host: &mut Host<'_>, address: u64) -> Result<[u8; N], Stop> {
    let mut found = [0; N];
    found.copy_from_slice(host.bytes(address, N as u64)?);
    Ok(found)
}

/// The types of the arguments that a format asks for, up to where it is not understood.
fn types(format: &[u8]) -> Vec<Type> {
    let mut types = vec![];
    let mut rest = format.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            continue;
        }
        let mut wide = false;
        loop {
            let Some(letter) = rest.next() else { return types };
            match letter {
                b'-' | b'+' | b' ' | b'#' | b'0'..=b'9' | b'.' | b'h' => continue,
                b'*' => {
                    types.push(Type::Int(32));
                    continue;
                }
                b'l' | b'z' | b'j' | b't' | b'q' => {
                    wide = true;
                    continue;
                }
                b'%' => {}
                b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'c' => {
                    types.push(Type::Int(if wide { 64 } else { 32 }));
                }
                b's' | b'p' => types.push(Type::Ptr),
                b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                    types.push(Type::Float(FloatKind::Double));
                }
                _ => return types,
            }
            break;
        }
    }
    types
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_ask_for_arguments() {
        let (int, long) = (Type::Int(32), Type::Int(64));
        let double = Type::Float(FloatKind::Double);
        assert_eq!(types(b"no argument: 100%%"), []);
        assert_eq!(types(b"%d %-5ld %s%c"), [int, long, Type::Ptr, int]);
        assert_eq!(types(b"%*.*f|%hhu|%zx"), [int, int, double, int, long]);
        assert_eq!(types(b"%d %Lf %d"), [int], "a long double is on the stack, in 16 bytes");
        assert_eq!(types(b"%n%d"), []);
        assert_eq!(types(b"%"), []);
    }
}
