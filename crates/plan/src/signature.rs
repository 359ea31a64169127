//! The common part of two versions whose signature changed.
//!
//! Each version gets a copy of its procedure with one signature for both, and the two copies are a [`Pair`] like any other: every
//! engine works on it as it is. `price(n)` against `price(n, discount)` becomes a pair over `n` and `discount`, of which the old copy
//! ignores `discount`. Callers go on calling the procedures themselves.
//!
//! The signature of the copies, parameters by position:
//!
//! | old and new | the copies |
//! |---|---|
//! | parameters of the same machine type | that one |
//! | integers of two widths, or `float` and `double` | the narrower, converted to the wider as C does at a call: what a caller with arguments of the narrower type sees |
//! | a parameter at the end that one version lacks | is there, and ignored by the version that lacks it |
//! | the same result | that one |
//! | a result in one version only | none: it is not compared |
//! | results of two widths | the wider, if every value of the narrower C type is one of it: then they are equal exactly if they are the same number |
//! | a signed result and an unsigned one of the same width | one of twice the width, for the same reason |
//!
//! Anything else has no common part ([`Common::judged`] says why): other kinds of parameters, structs by value (they are
//! passed in parts or behind pointers that no source has), parameters inserted before others, further arguments in one version only.
//!
//! Soundness: a copy does what a call of its procedure does with these arguments. It *is* the same body; only what comes before
//! (conversions of arguments) and after (the result) is added, and both are what C does. A call of the procedure by itself may become a call of the copy
//! where neither arguments nor result are converted: the copy ignores what it is given beyond the procedure's own parameters.

use verdiff_judge::{Changed, Comparison, NoCommonPart, Pair, PairId, Side, Version};
use verdiff_model::graph::assigned::{Position, maybe_unassigned_reads};
use verdiff_model::state::{EntryState, Value};
use verdiff_model::validate::validate_procedure;
use verdiff_model::{
    CType, CTypeId, Callee, Expr, FloatKind, Frame, Linkage, Loc, ProcId, Procedure, Program, Stmt,
    StmtKind, TerminatorKind, Type, UnaryOp, Var, VarId, VarKind, ops,
};

/// What can be compared of a pair whose signature changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Common {
    /// The pair.
    pub interface: PairId,
    /// Its common part, or why there is none.
    pub judged: Result<CommonPart, NoCommonPart>,
}

/// The common part of a pair.
#[derive(Clone, Debug, PartialEq)]
pub struct CommonPart {
    /// The pair of copies.
    pub pair: PairId,
    /// What is compared, as the source declares it: `int price(int n)` and `int price(int n, int discount)`.
    pub declared: [String; 2],
    /// Whether both return the same type, so that results can be compared as they are.
    pub same_results: bool,
    /// Whether one version returns something that is not compared.
    pub drops_result: bool,
    /// For each side and each of its own parameters, how the copy's argument becomes the procedure's.
    arguments: [Vec<(Type, Type, Option<UnaryOp>)>; 2],
}

impl CommonPart {
    /// The state that the procedure itself starts from where its copy starts from this one.
    pub fn own_entry(&self, side: Side, entry: &EntryState) -> EntryState {
        let own = |(value, (from, to, convert)): (&Value, &(Type, Type, Option<UnaryOp>))| match (
            value, convert,
        ) {
            (Value::Bits(bits), Some(op)) => Value::Bits(ops::unary_bits(*op, *to, *from, *bits)),
            (value, _) => *value,
        };
        let args = entry.args.iter().zip(&self.arguments[side.index()]).map(own).collect();
        EntryState { args, ..entry.clone() }
    }
}

/// Adds the common parts of all pairs whose signature changed.
pub fn add_common_parts(comparison: &mut Comparison) -> Vec<Common> {
    let changed: Vec<PairId> =
        comparison.pair_ids().filter(|id| !comparison.pair(*id).same_interface).collect();
    let mut all = vec![];
    for interface in changed {
        let judged = shape(comparison, interface).map(|shape| add(comparison, interface, &shape));
        all.push(Common { interface, judged });
    }
    all
}

/// Whether the results of two procedures with the same machine types are the same numbers: `int` and `unsigned` are one in a register, but
/// callers read -1 of the one and 4294967295 of the other. (Arguments are converted by the caller, to the same bits for both.)
pub fn same_numbers(comparison: &Comparison, old: ProcId, new: ProcId) -> bool {
    let signed = |side: Side, id: ProcId| {
        let program = comparison.program(side);
        let types = &program.ctypes;
        let kind = |id: CTypeId| types.get(types.resolve(id));
        match kind(program.procedure(id).ctype?) {
            CType::Function { result, .. } => match kind(*result) {
                CType::Int { signed, .. } => Some(*signed),
                _ => None,
            },
            _ => None,
        }
    };
    match (signed(Side::Old, old), signed(Side::New, new)) {
        (Some(old), Some(new)) => old == new,
        _ => true,
    }
}

/// The signature of the copies.
struct CopySignature {
    params: Vec<Param>,
    /// `None` if results are not compared.
    result: Option<Option<Type>>,
    /// For each side, how its result becomes the common one.
    convert: [Option<UnaryOp>; 2],
}

/// A parameter of the copies.
struct Param {
    name: String,
    ty: Type,
    /// The side whose C type it has.
    from: Side,
    ctype: Option<CTypeId>,
    /// For each side, whether it has the parameter, and how the argument is converted.
    sides: [Option<Option<UnaryOp>>; 2],
}

/// What both sides have in common.
fn shape(comparison: &Comparison, pair: PairId) -> Result<CopySignature, NoCommonPart> {
    let of = |side| Declared::of(comparison, pair, side);
    let (old, new) = (of(Side::Old)?, of(Side::New)?);
    if old.procedure.variadic != new.procedure.variadic {
        return Err(NoCommonPart::Variadic);
    }
    let both = old.params.len().min(new.params.len());
    let longer = if new.params.len() > both { (&new, &old) } else { (&old, &new) };
    let name =
        |d: &Declared<'_>, index: usize| d.procedure.var(d.procedure.params[index]).name.clone();
    for index in both..longer.0.params.len() {
        let moved = name(longer.0, index);
        if (0..both).any(|i| name(longer.1, i) == moved && name(longer.0, i) != moved) {
            return Err(NoCommonPart::Moved(moved));
        }
    }
    let mut params = vec![];
    for index in 0..longer.0.params.len() {
        let param = |d: &Declared<'_>, from, ty, sides| Param {
            name: name(d, index),
            ty,
            from,
            ctype: Some(d.params[index]),
            sides,
        };
        params.push(match (old.machine(index), new.machine(index)) {
            (Some(a), Some(b)) => {
                let narrower = if width(a) <= width(b) { Side::Old } else { Side::New };
                let (from, to, d) = match narrower {
                    Side::Old => (a, b, &old),
                    Side::New => (b, a, &new),
                };
                let Ok(convert) = conversion(from, to, d.is_signed(d.params[index])) else {
                    let name = name(&old, index);
                    return Err(NoCommonPart::ParameterType(name));
                };
                let mut sides = [Some(None), Some(None)];
                sides[narrower.other().index()] = Some(convert);
                param(d, narrower, from, sides)
            }
            (Some(a), None) => param(&old, Side::Old, a, [Some(None), None]),
            (_, b) => param(&new, Side::New, b.unwrap_or(Type::WORD), [None, Some(None)]),
        });
    }
    let (result, convert) = result(&old, &new)?;
    Ok(CopySignature { params, result, convert })
}

/// The result that is compared, and how each side's becomes it.
type ComparedResult = (Option<Option<Type>>, [Option<UnaryOp>; 2]);

fn result(old: &Declared<'_>, new: &Declared<'_>) -> Result<ComparedResult, NoCommonPart> {
    let of = |d: &Declared<'_>| d.procedure.results.first().copied();
    let (Some(a), Some(b)) = (of(old), of(new)) else {
        let both_void = of(old).is_none() && of(new).is_none();
        return Ok((both_void.then_some(None), [None, None]));
    };
    let signs = [old, new].map(|d| d.is_signed(d.result));
    if let (Type::Int(bits), true) = (a, a == b && signs[0] != signs[1] && width(a) <= 64) {
        if old.may_return_nothing() || new.may_return_nothing() {
            return Err(NoCommonPart::NoValue);
        }
        let wide = Type::Int(2 * bits);
        let extend = |signed| if signed { UnaryOp::SignExtend } else { UnaryOp::ZeroExtend };
        return Ok((Some(Some(wide)), signs.map(|signed| Some(extend(signed)))));
    }
    let narrower = if width(a) <= width(b) { Side::Old } else { Side::New };
    let (from, to, narrow, wide) = match narrower {
        Side::Old => (a, b, old, new),
        Side::New => (b, a, new, old),
    };
    let signed = narrow.is_signed(narrow.result);
    let convert = conversion(from, to, signed);
    // A negative number has no equal among unsigned ones.
    let preserved = !signed || wide.is_signed(wide.result) || from == to;
    let Some(convert) = convert.ok().filter(|_| preserved) else {
        return Err(NoCommonPart::ResultType);
    };
    if convert.is_some() && narrow.may_return_nothing() {
        return Err(NoCommonPart::NoValue);
    }
    let mut sides = [None, None];
    sides[narrower.index()] = convert;
    Ok((Some(Some(to)), sides))
}

/// A procedure with the C types of its parameters, one for each.
struct Declared<'a> {
    program: &'a Program,
    procedure: &'a Procedure,
    params: Vec<CTypeId>,
    result: CTypeId,
}

impl<'a> Declared<'a> {
    fn of(
        comparison: &'a Comparison,
        pair: PairId,
        side: Side,
    ) -> Result<Declared<'a>, NoCommonPart> {
        let program = comparison.program(side);
        let procedure = comparison.procedure(pair, side);
        if !procedure.is_supported() {
            return Err(NoCommonPart::NoBody);
        }
        let types = &program.ctypes;
        let kind = |id: CTypeId| types.get(types.resolve(id));
        let Some(CType::Function { result, parameters, .. }) = procedure.ctype.map(kind) else {
            return Err(NoCommonPart::NoTypes);
        };
        let is_scalar = |id: &CTypeId| {
            matches!(
                kind(*id),
                CType::Int { .. } | CType::Enum { .. } | CType::Float { .. } | CType::Pointer(_)
            )
        };
        let returns = matches!(kind(*result), CType::Void) || is_scalar(result);
        if !returns
            || !parameters.iter().all(is_scalar)
            || parameters.len() + procedure.areas().count() != procedure.params.len()
            || procedure.results.len() > 1
        {
            return Err(NoCommonPart::Structs);
        }
        Ok(Declared { program, procedure, params: parameters.clone(), result: *result })
    }

    /// Whether it may fall off its end: there is nothing to convert then.
    fn may_return_nothing(&self) -> bool {
        maybe_unassigned_reads(self.procedure)
            .iter()
            .any(|(_, position, _)| *position == Position::Terminator)
    }

    fn machine(&self, index: usize) -> Option<Type> {
        self.procedure.params.get(index).map(|p| self.procedure.var(*p).ty)
    }

    fn is_signed(&self, id: CTypeId) -> bool {
        let types = &self.program.ctypes;
        types.signed(types.resolve(id)).unwrap_or(false)
    }
}

fn width(ty: Type) -> u16 {
    match ty {
        Type::Int(width) => width,
        Type::Float(kind) => kind.width(),
        Type::Ptr => 64,
    }
}

/// How a value of one type becomes one of another that is not narrower.
fn conversion(from: Type, to: Type, signed: bool) -> Result<Option<UnaryOp>, ()> {
    match (from, to) {
        _ if from == to => Ok(None),
        (Type::Int(a), Type::Int(b)) if a < b => {
            Ok(Some(if signed { UnaryOp::SignExtend } else { UnaryOp::ZeroExtend }))
        }
        (Type::Float(FloatKind::Single), Type::Float(FloatKind::Double)) => {
            Ok(Some(UnaryOp::FConvert))
        }
        _ => Err(()),
    }
}

/// Makes the copies and their pair.
fn add(comparison: &mut Comparison, interface: PairId, shape: &CopySignature) -> CommonPart {
    let pair = comparison.pair(interface).clone();
    let declared = Side::BOTH.map(|side| declaration(comparison, interface, side));
    let drops_result = shape.result.is_none();
    let same_results = !drops_result && shape.convert == [None, None];
    // C types of a side in the numbers of the other, where they are as simple as that.
    let simple: Vec<Option<CType>> = shape
        .params
        .iter()
        .map(|param| {
            let types = &comparison.program(param.from).ctypes;
            let ctype = types.get(types.resolve(param.ctype?));
            matches!(ctype, CType::Int { .. } | CType::Float { .. }).then(|| ctype.clone())
        })
        .collect();
    let copies = Side::BOTH.map(|side| {
        let version = match side {
            Side::Old => &mut comparison.old,
            Side::New => &mut comparison.new,
        };
        copy(version, side, pair.of(side), shape, &simple)
    });
    let arguments = Side::BOTH.map(|side| {
        let procedure = comparison.procedure(interface, side);
        let own = |(param, own): (&Param, &VarId)| {
            (param.ty, procedure.var(*own).ty, param.sides[side.index()].flatten())
        };
        shape.params.iter().zip(&procedure.params).map(own).collect()
    });
    comparison.pairs.push(Pair {
        old: copies[0],
        new: copies[1],
        changed: Changed::Types,
        same_interface: true,
        ..pair
    });
    let pair = PairId(comparison.pairs.len() as u32 - 1);
    CommonPart { pair, declared, same_results, drops_result, arguments }
}

/// The procedure as the source declares it.
fn declaration(comparison: &Comparison, pair: PairId, side: Side) -> String {
    let Ok(declared) = Declared::of(comparison, pair, side) else { return String::new() };
    let (types, procedure) = (&declared.program.ctypes, declared.procedure);
    let param = |(var, ctype): (&VarId, &CTypeId)| types.declare(*ctype, &procedure.var(*var).name);
    let params: Vec<String> = procedure.params.iter().zip(&declared.params).map(param).collect();
    let list = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
    types.declare(declared.result, &format!("{}({list})", procedure.name))
}

/// A copy of one side's procedure with the common signature.
fn copy(
    version: &mut Version,
    side: Side,
    id: ProcId,
    shape: &CopySignature,
    simple: &[Option<CType>],
) -> ProcId {
    let program = &mut version.program;
    let copy_id = ProcId::new(program.procedures.len());
    let mut copy = program.procedure(id).clone();
    copy.symbol = format!("{}.common", copy.symbol);
    copy.linkage = Linkage::Internal;
    let own = std::mem::take(&mut copy.params);
    let mut conversions = vec![];
    for (index, param) in shape.params.iter().enumerate() {
        let ctype = |program: &mut Program| match (param.from == side, &simple[index]) {
            (true, _) => param.ctype,
            (false, Some(ctype)) => Some(program.ctypes.add(ctype.clone())),
            (false, None) => None,
        };
        let convert = match param.sides[side.index()] {
            Some(None) => {
                copy.params.push(own[index]);
                continue;
            }
            convert => convert.flatten(),
        };
        let var = Var {
            name: param.name.clone(),
            ty: param.ty,
            ctype: ctype(program),
            kind: VarKind::Parameter,
        };
        let given = copy.add_var(var);
        copy.params.push(given);
        if let Some(op) = convert {
            let dst = own[index];
            copy.vars[dst.index()].kind = VarKind::Local;
            let value = Expr::unary(op, copy.var(dst).ty, Expr::Var(given));
            conversions.push(Stmt { kind: StmtKind::Assign { dst, value }, loc: Loc::NONE });
        }
    }
    let converts = !conversions.is_empty();
    // Control enters at the first block once: what loops back to it must not convert again.
    enter_once(&mut copy, conversions);
    let result = shape.convert[side.index()];
    let unchanged = !converts && result.is_none() && shape.result.is_some();
    if unchanged {
        let further: Vec<Expr> =
            copy.params.iter().skip(own.len()).map(|v| Expr::Var(*v)).collect();
        call_copy(&mut copy, id, copy_id, &further);
    }
    change_result(&mut copy, shape, result);
    let params = copy.params.len();
    program.procedures.push(copy);
    debug_assert_eq!(validate_procedure(program, copy_id), Ok(()));
    version.frames.resize(program.procedures.len(), Frame::default());
    version.frames[copy_id.index()].by_value = vec![None; params];
    copy_id
}

/// Statements before the first block.
fn enter_once(copy: &mut Procedure, stmts: Vec<Stmt>) {
    use verdiff_model::{Block, BlockId, Terminator};
    if stmts.is_empty() {
        return;
    }
    for block in &mut copy.blocks {
        for target in block.end.kind.successors_mut() {
            *target = BlockId::new(target.index() + 1);
        }
    }
    let end = Terminator { kind: TerminatorKind::Goto(BlockId::new(1)), loc: Loc::NONE };
    copy.blocks.insert(0, Block { label: "common".to_owned(), stmts, end });
}

/// Calls of the procedure by itself become calls of the copy, which are given what the procedure does not take.
fn call_copy(copy: &mut Procedure, id: ProcId, copy_id: ProcId, further: &[Expr]) {
    let own = copy.params.len() - further.len();
    for stmt in copy.blocks.iter_mut().flat_map(|b| &mut b.stmts) {
        if let StmtKind::Call { callee: Callee::Procedure(callee), args, .. } = &mut stmt.kind
            && *callee == id
            && args.len() == own
        {
            *callee = copy_id;
            args.extend(further.iter().cloned());
        }
    }
}

fn change_result(copy: &mut Procedure, shape: &CopySignature, convert: Option<UnaryOp>) {
    let common: Vec<Type> = shape.result.flatten().into_iter().collect();
    if copy.results == common {
        return;
    }
    for block in &mut copy.blocks {
        if let TerminatorKind::Return(values) = &mut block.end.kind {
            let old = std::mem::take(values);
            let converted = old.into_iter().zip(&common).map(|(value, ty)| match convert {
                Some(op) => Expr::unary(op, *ty, value),
                None => value,
            });
            *values = converted.collect();
        }
    }
    copy.results = common;
}
