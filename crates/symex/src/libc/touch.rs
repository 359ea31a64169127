//! Which arguments of a call of a known function are read or written through.

use super::{FunctionModel, Which};
use verdiff_model::{Address, BinaryOp, Expr, Global, Program};

/// The arguments of one call that memory is touched through, by position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    /// Read.
    pub reads: Vec<usize>,
    /// Written.
    pub writes: Vec<usize>,
    /// Perhaps kept by the function, or followed further than one step.
    pub keeps: Vec<usize>,
}

/// What a call of a known function with these arguments touches. A `printf` format that can
/// be read here says whether further arguments are written (`%n`) and which are shown as numbers; one that cannot might do
/// anything to them.
pub fn touched(known: &FunctionModel, program: &Program, args: &[Expr]) -> Touched {
    let fixed = known.prototype.params.len();
    let positions = |which: Which| match which {
        Which::Param(n) => n..(n + 1).min(args.len()),
        Which::Rest => fixed.min(args.len())..args.len(),
    };
    let all = |list: &[super::Touch]| -> Vec<usize> {
        list.iter().flat_map(|touch| positions(touch.which)).collect()
    };
    let mut touched = Touched {
        reads: all(&known.reads),
        writes: all(&known.writes),
        keeps: known.keeps.iter().flat_map(|which| positions(*which)).collect(),
    };
    touched.writes.extend(known.stores.iter().map(|(into, _)| *into).filter(|n| *n < args.len()));
    if let Some(format) = known.format {
        touched.reads.extend(positions(Which::Rest));
        let conversions = args.get(format).and_then(|format| conversions(program, format));
        let rest = positions(Which::Rest);
        match conversions {
            // Every argument but a string (or a place for a count) is shown as a number: whoever reads it knows the address then.
            Some(list) if list.len() == rest.len() => {
                let shown =
                    rest.clone().zip(&list).filter(|(_, c)| !b"sn".contains(*c)).map(|(n, _)| n);
                touched.keeps.extend(shown);
                if list.contains(&b'n') {
                    touched.writes.extend(rest);
                }
            }
            // A format that does not fit its arguments, or that cannot be read here.
            Some(list) if !list.contains(&b'n') => touched.keeps.extend(rest),
            _ => {
                touched.keeps.extend(rest.clone());
                touched.writes.extend(rest);
            }
        }
    }
    for list in [&mut touched.reads, &mut touched.writes, &mut touched.keeps] {
        list.sort_unstable();
        list.dedup();
    }
    touched
}

/// The conversion of each further argument in order, a width or precision that is an argument being a `*`; `None` if the
/// format is not known, or numbers its arguments.
fn conversions(program: &Program, format: &Expr) -> Option<Vec<u8>> {
    let (global, offset) = literal(program, format)?;
    let init = global.init.as_ref().filter(|init| init.relocations.is_empty())?;
    if !global.constant {
        return None;
    }
    let text = init.bytes.get(offset..).unwrap_or(&[]);
    let text = text.split(|byte| *byte == 0).next().unwrap_or(&[]);
    let mut found = vec![];
    let mut rest = text.iter();
    while let Some(byte) = rest.next() {
        if *byte != b'%' {
            continue;
        }
        // Flags, width, precision and length, then the conversion.
        let conversion = loop {
            match rest.next()? {
                b'$' => return None,
                b'*' => found.push(b'*'),
                b if b"-+ #0123456789.'hlLqjzt".contains(b) => {}
                b => break *b,
            }
        };
        if !b"%m".contains(&conversion) {
            found.push(conversion);
        }
    }
    Some(found)
}

fn literal<'p>(program: &'p Program, address: &Expr) -> Option<(&'p Global, usize)> {
    match address {
        Expr::Address(Address::Global(id)) => Some((program.globals.get(id.index())?, 0)),
        Expr::Binary { op: BinaryOp::PtrAdd, lhs, rhs, .. } => {
            let (global, offset) = literal(program, lhs)?;
            let step = usize::try_from(rhs.as_const()?.signed()).ok()?;
            Some((global, offset.checked_add(step)?))
        }
        _ => None,
    }
}
