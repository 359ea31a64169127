//! Bytes and bits of a C value that belong to no member.
//!
//! C leaves them open: a compound literal has there whatever the stack held, so has a struct that is returned in registers, and an
//! assignment may or may not copy them. Whoever compares them compares the machine on which the program runs. So
//! they are no part of a result, and a written test sets them itself where the entry state has a value for them.

use verdiff_model::{CType, CTypeId, CTypes, ProcId, Program, Type};

/// Larger types are taken to have none.
const LARGEST: usize = 1 << 16;

/// For each byte of a value of the type whether it is padding; `None` if the type's size is not known.
pub(crate) fn of(types: &CTypes, ctype: CTypeId) -> Option<Vec<bool>> {
    let bits = of_bits(types, ctype)?;
    Some(bits.chunks(8).map(|byte| byte.iter().all(|padding| *padding)).collect())
}

/// The same for as many elements of the type as there are bytes for; no padding if they do not fill it.
pub(crate) fn of_elements(types: &CTypes, element: Option<CTypeId>, size: usize) -> Vec<bool> {
    let one = element.and_then(|element| of(types, element)).filter(|one| !one.is_empty());
    match one {
        Some(one) if size.is_multiple_of(one.len()) => one.repeat(size / one.len()),
        _ => vec![false; size],
    }
}

/// The bits of each result that are a member's: all of them, but for a struct in registers.
pub(crate) fn result_bits(
    program: &Program,
    procedure: ProcId,
    results: impl Iterator<Item = Type>,
) -> Vec<u128> {
    let types = &program.ctypes;
    let ctype = program.procedures.get(procedure.index()).and_then(|p| p.ctype);
    let padding = match ctype.map(|ctype| types.get(types.resolve(ctype))) {
        Some(CType::Function { result, .. }) => {
            let is_record = matches!(types.get(types.resolve(*result)), CType::Record { .. });
            of_bits(types, *result).filter(|_| is_record)
        }
        _ => None,
    };
    let mut at = 0;
    let mut one = |ty: Type| {
        let Some(padding) = &padding else { return u128::MAX };
        let size = ty.bytes() as usize;
        at = usize::next_multiple_of(at, size.next_power_of_two().max(1));
        let is_member = |bit: &usize| padding.get(8 * at + bit) == Some(&false);
        let bits = (0..8 * size.min(16)).filter(is_member).fold(0, |bits, bit| bits | 1 << bit);
        at += size;
        bits
    };
    results.map(&mut one).collect()
}

/// Where a list is true: first positions and lengths.
pub(crate) fn runs(list: &[bool]) -> Vec<(usize, usize)> {
    let mut runs = vec![];
    let mut at = 0;
    while at < list.len() {
        let length = list[at..].iter().take_while(|is| **is).count();
        if length > 0 {
            runs.push((at, length));
        }
        at += length.max(1);
    }
    runs
}

fn of_bits(types: &CTypes, ctype: CTypeId) -> Option<Vec<bool>> {
    let size = usize::try_from(types.size(ctype)?).ok().filter(|size| *size <= LARGEST)?;
    let mut padding = vec![true; 8 * size];
    clear(types, ctype, &mut padding, 0);
    Some(padding)
}

/// Takes away what belongs to a value of the type that begins at a bit.
fn clear(types: &CTypes, ctype: CTypeId, padding: &mut [bool], at: usize) {
    let bits = 8 * types.size(ctype).unwrap_or(0) as usize;
    let end = match types.get(types.resolve(ctype)) {
        CType::Array { element, .. } => {
            let step = 8 * types.size(*element).unwrap_or(0) as usize;
            if step > 0 {
                for at in (at..at + bits).step_by(step) {
                    clear(types, *element, padding, at);
                }
            }
            return;
        }
        // Bytes of a union that any member has are not padding.
        CType::Record { fields, .. } => {
            for field in fields {
                let from = at + field.offset_bits as usize;
                match field.bit_width {
                    Some(width) => fill(padding, from, from + usize::from(width)),
                    None => clear(types, field.ctype, padding, from),
                }
            }
            return;
        }
        // The x87 format has ten bytes.
        CType::Float { name, .. } if name.contains("long double") => at + bits.min(80),
        _ => at + bits,
    };
    fill(padding, at, end);
}

fn fill(padding: &mut [bool], from: usize, to: usize) {
    let to = to.min(padding.len());
    if from < to {
        padding[from..to].fill(false);
    }
}
