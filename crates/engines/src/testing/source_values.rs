//! What both texts say about the inputs that matter: numbers, strings, globals, functions.

use super::outside::Writable;
use std::cell::OnceCell;
use std::collections::HashSet;
use verdiff_judge::{Changed, Comparison, Judgements, PairId, Side};
use verdiff_model::generate::Random;
use verdiff_model::state::{Contents, Link, Pointer, PointerTarget, initial_contents};
use verdiff_model::types::signed;
use verdiff_model::{
    Address, Callee, Expr, FloatKind, Global, GlobalId, Linkage, ProcId, Program, StmtKind,
    TerminatorKind, Type,
};

/// Procedures further away than this many have no say.
const PROCEDURES: usize = 64;
/// No more numbers of either kind than this.
const NUMBERS: usize = 96;
/// No more strings than this, and no longer ones.
const STRINGS: usize = 32;
const STRING: usize = 256;
/// No larger global is set, and no more of them.
const GLOBAL: u64 = 4096;
const GLOBALS: usize = 12;

/// Functions that make a number of text, and how many numbers of the code are tried as text, of either kind.
const PARSERS: [&str; 12] = [
    "atof",
    "atoi",
    "atol",
    "atoll",
    "strtod",
    "strtof",
    "strtol",
    "strtoul",
    "strtoll",
    "strtoull",
    "__isoc23_strtol",
    "__isoc23_strtoul",
];
const SPELLED: usize = 12;
/// How often, in percent, a string is one of those.
const NUMERAL: u64 = 15;

/// Numbers of the C library's own that a caller does not choose.
pub(super) const LIBRARY: &[&str] =
    &["optind", "opterr", "optopt", "timezone", "daylight", "signgam", "errno"];

/// What is known of both texts.
pub(super) struct Text<'a> {
    comparison: &'a Comparison,
    judgements: &'a Judgements,
    /// Integer constants with their widths.
    pub(super) ints: Vec<(u16, u128)>,
    /// Float constants.
    pub(super) floats: Vec<(FloatKind, u128)>,
    /// Strings, with the final zero.
    pub(super) strings: Vec<Vec<u8>>,
    /// Numbers of the code as text, with the final zero, if the program makes numbers of text.
    pub(super) numerals: Vec<Vec<u8>>,
    /// Globals that an entry state may set.
    pub(super) globals: Vec<Shared>,
    /// Numbers in globals that unknown functions may write.
    pub(super) writable: Vec<Writable>,
    functions: OnceCell<Vec<Pointer>>,
}

/// A global that both versions have, with the same size, and that either may have changed before.
pub(super) struct Shared {
    /// Its number in the old version.
    pub(super) old: GlobalId,
    /// What it may begin with, in the old version's numbers.
    pub(super) contents: Contents,
    /// Whether the versions' initialisers differ, so that a common state must say what it holds.
    pub(super) forced: bool,
    /// Whether callers can have its address.
    pub(super) public: bool,
}

impl<'a> Text<'a> {
    pub(super) fn of(
        comparison: &'a Comparison,
        judgements: &'a Judgements,
        pair: PairId,
    ) -> Text<'a> {
        let mut text = Text {
            comparison,
            judgements,
            ints: vec![],
            floats: vec![],
            strings: vec![],
            numerals: vec![],
            globals: vec![],
            writable: vec![],
            functions: OnceCell::new(),
        };
        let mut globals = vec![];
        for side in Side::BOTH {
            let program = comparison.program(side);
            let mentioned = text.collect(program, comparison.pair(pair).of(side));
            for id in mentioned {
                let global = program.global(id);
                if global.constant {
                    text.table(global);
                } else {
                    let old = match side {
                        Side::Old => Some(id),
                        Side::New => comparison.global_in_other(Side::New, id),
                    };
                    globals.extend(old);
                }
            }
        }
        text.ints.dedup();
        text.spell_numbers();
        globals.sort_unstable();
        globals.dedup();
        text.writable = super::outside::writable(comparison, &globals);
        // main finds what the initialisers say.
        if comparison.pair(pair).function != "main" {
            text.share(&globals);
        }
        text
    }

    /// Where a pointer to a function may lead, in the old version's numbers: functions whose
    /// address is taken in both versions, those that are known to be equal, and externals.
    /// To call a changed function that nobody takes the address of would be to judge that one.
    pub(super) fn functions(&self) -> &[Pointer] {
        self.functions.get_or_init(|| {
            let (old, new) =
                (&self.comparison.program(Side::Old), &self.comparison.program(Side::New));
            let taken = [address_taken(old), address_taken(new)];
            let mut list = vec![];
            for (index, pair) in self.comparison.pairs.iter().enumerate() {
                let judgement = self.judgements.get(&PairId(index as u32));
                let equal = pair.changed == Changed::No || judgement.is_some_and(|j| j.is_equal());
                let public = old.procedure(pair.old).linkage == Linkage::External
                    && new.procedure(pair.new).linkage == Linkage::External;
                if (taken[0].contains(&pair.old) && taken[1].contains(&pair.new))
                    || (equal && public)
                {
                    list.push(PointerTarget::Procedure(pair.old));
                }
            }
            for index in 0..old.externals.len() {
                let id = verdiff_model::ExternId::new(index);
                if self.comparison.external_in_other(Side::Old, id).is_some() {
                    list.push(PointerTarget::External(id));
                }
            }
            list.into_iter().map(|target| Pointer { target, offset: 0 }).collect()
        })
    }

    /// Takes the numbers of a procedure and of those it may call; returns the globals they mention.
    fn collect(&mut self, program: &Program, root: ProcId) -> Vec<GlobalId> {
        let mut procedures = vec![root];
        let mut globals: Vec<GlobalId> = vec![];
        let mut at = 0;
        let mut tables = 0;
        while at < procedures.len() && at < PROCEDURES {
            let mut called = vec![];
            self.read(program, procedures[at], &mut called, &mut globals);
            // Tables of functions.
            while let Some(id) = globals.get(tables) {
                tables += 1;
                for relocation in program.global(*id).init.iter().flat_map(|i| &i.relocations) {
                    match relocation.target {
                        Address::Procedure(id) => called.push(id),
                        Address::Global(id) if !globals.contains(&id) && globals.len() < 256 => {
                            globals.push(id);
                        }
                        _ => {}
                    }
                }
            }
            called.retain(|id| !procedures.contains(id));
            called.sort_unstable();
            called.dedup();
            procedures.extend(called);
            at += 1;
        }
        globals
    }

    fn read(
        &mut self,
        program: &Program,
        id: ProcId,
        called: &mut Vec<ProcId>,
        globals: &mut Vec<GlobalId>,
    ) {
        let (ints, floats) = (&mut self.ints, &mut self.floats);
        let mut add = |width: u16, bits: u128| {
            if ints.len() < NUMBERS && !ints.contains(&(width, bits)) {
                ints.push((width, bits));
            }
        };
        for block in &program.procedure(id).blocks {
            let mut note = |e: &Expr| match e {
                Expr::Const(c) => match c.ty {
                    Type::Float(kind)
                        if floats.len() < NUMBERS && !floats.contains(&(kind, c.bits)) =>
                    {
                        floats.push((kind, c.bits));
                    }
                    Type::Int(width) if width > 1 => add(width, c.bits),
                    _ => {}
                },
                Expr::Address(Address::Global(global)) if !globals.contains(global) => {
                    globals.push(*global);
                }
                Expr::Address(Address::Procedure(id)) => called.push(*id),
                _ => {}
            };
            for stmt in &block.stmts {
                stmt.kind.exprs().into_iter().for_each(|e| e.walk(&mut note));
            }
            block.end.kind.exprs().into_iter().for_each(|e| e.walk(&mut note));
            for stmt in &block.stmts {
                if let StmtKind::Call { callee: Callee::Procedure(id), .. } = &stmt.kind {
                    called.push(*id);
                }
            }
            if let TerminatorKind::Switch { value, cases, .. } = &block.end.kind {
                let width = program.procedure(id).type_of(value).width();
                cases.iter().for_each(|case| add(width, case.0));
            }
        }
    }

    /// Takes the string, or the first numbers, of a constant.
    fn table(&mut self, global: &Global) {
        let Some(init) = &global.init else { return };
        let bytes = &init.bytes;
        let is_text = bytes.iter().all(|b| (b' '..0x7f).contains(b) || b"\n\t\0".contains(b));
        if is_text && !bytes.is_empty() && bytes.len() <= STRING && self.strings.len() < STRINGS {
            let mut string = bytes.clone();
            string.push(0);
            if !self.strings.contains(&string) {
                self.strings.push(string);
            }
        }
    }

    /// Adds the numbers of the code as text, if the program makes numbers of text.
    fn spell_numbers(&mut self) {
        let externals = &self.comparison.program(Side::Old).externals;
        if !externals.iter().any(|external| PARSERS.contains(&external.name.as_str())) {
            return;
        }
        let float = |(kind, bits): &(FloatKind, u128)| match kind {
            FloatKind::Double => Some(f64::from_bits(*bits as u64).to_string()),
            FloatKind::Single => Some(f32::from_bits(*bits as u32).to_string()),
            _ => None,
        };
        let floats = self.floats.iter().filter_map(float).take(SPELLED);
        let int = |(width, bits): &(u16, u128)| signed(*bits, *width).to_string();
        let ints = self.ints.iter().filter(|(width, _)| *width >= 32).map(int).take(SPELLED);
        let spelled = floats.chain(ints).map(|number| [number.as_bytes(), b"\0"].concat());
        self.numerals = spelled.filter(|string| string.len() <= STRING).collect();
    }

    /// A string of the code; now and then a number of it as text.
    pub(super) fn string(&self, random: &mut Random) -> Option<&[u8]> {
        let numerals = !self.numerals.is_empty() && random.chance(NUMERAL);
        let list = if numerals { &self.numerals } else { &self.strings };
        let at = random.below(list.len().max(1) as u64) as usize;
        list.get(at).map(Vec::as_slice)
    }

    /// Decides which globals an entry state may set, and to what by default.
    fn share(&mut self, candidates: &[GlobalId]) {
        let (old, new) = (self.comparison.program(Side::Old), self.comparison.program(Side::New));
        for id in candidates {
            let Some(other) = self.comparison.global_in_other(Side::Old, *id) else { continue };
            let (a, b) = (old.global(*id), new.global(other));
            if a.constant || b.constant || a.thread_local || a.size != b.size || a.size == 0 {
                continue;
            }
            let outside = a.init.is_none() || b.init.is_none();
            if outside && (LIBRARY.contains(&a.symbol.as_str()) || holds_pointers(old, a)) {
                continue;
            }
            let public = a.linkage == Linkage::External && b.linkage == Linkage::External;
            // What nobody can have changed holds what its initialiser says.
            let changeable = public || may_change(old, *id) && may_change(new, other);
            if !changeable {
                continue;
            }
            let from_old = initial_contents(old, *id);
            let from_new = initial_contents(new, other);
            let mine = self.translated(Side::New, &from_new);
            let forced = mine.as_ref() != Some(&from_old);
            if !forced && (a.size > GLOBAL || self.globals.len() >= GLOBALS) {
                continue;
            }
            let contents = if self.translated(Side::Old, &from_old).is_some() {
                from_old
            } else {
                mine.unwrap_or_else(|| Contents::from(vec![0; a.size as usize]))
            };
            self.globals.push(Shared { old: *id, contents, forced, public });
        }
    }

    /// Contents in the other version's numbers, if it has all that they point to.
    fn translated(&self, side: Side, contents: &Contents) -> Option<Contents> {
        let link = |link: &Link| {
            let target = translate_target(self.comparison, side, link.to.target)?;
            Some(Link { offset: link.offset, to: Pointer { target, ..link.to } })
        };
        let pointers = contents.pointers.iter().map(link).collect::<Option<_>>()?;
        Some(Contents { pointers, ..contents.clone() })
    }
}

/// What a pointer leads to, in the other version's numbers.
pub(super) fn translate_target(
    comparison: &Comparison,
    side: Side,
    target: PointerTarget,
) -> Option<PointerTarget> {
    Some(match target {
        PointerTarget::Global(id) => PointerTarget::Global(comparison.global_in_other(side, id)?),
        PointerTarget::Procedure(id) => {
            PointerTarget::Procedure(comparison.procedure_in_other(side, id)?)
        }
        PointerTarget::External(id) => {
            PointerTarget::External(comparison.external_in_other(side, id)?)
        }
        same => same,
    })
}

fn holds_pointers(program: &Program, global: &Global) -> bool {
    let types = &program.ctypes;
    let Some(mut ctype) = global.ctype else { return true };
    while let verdiff_model::CType::Array { element, .. } = types.get(types.resolve(ctype)) {
        ctype = *element;
    }
    use verdiff_model::CType::{Enum, Float, Int};
    !matches!(types.get(types.resolve(ctype)), Int { .. } | Float { .. } | Enum { .. })
}

/// Whether some code may write to a global: it does more with its address than read there.
fn may_change(program: &Program, id: GlobalId) -> bool {
    let mut used = false;
    for stmt in program.procedures.iter().flat_map(|p| &p.blocks).flat_map(|b| &b.stmts) {
        let mut note = |e: &Expr| used |= *e == Expr::Address(Address::Global(id));
        match &stmt.kind {
            StmtKind::Load { .. } => {}
            StmtKind::Copy { dst, len, .. } => {
                dst.walk(&mut note);
                len.walk(&mut note);
            }
            kind => kind.exprs().into_iter().for_each(|e| e.walk(&mut note)),
        }
        if used {
            return true;
        }
    }
    let kept = |global: &Global| {
        let targets = global.init.iter().flat_map(|init| &init.relocations);
        targets.into_iter().any(|r| r.target == Address::Global(id))
    };
    program.globals.iter().any(kept)
}

fn address_taken(program: &Program) -> HashSet<ProcId> {
    let mut taken = HashSet::new();
    for block in program.procedures.iter().flat_map(|p| &p.blocks) {
        let mut note = |e: &Expr| {
            if let Expr::Address(Address::Procedure(id)) = e {
                taken.insert(*id);
            }
        };
        block.stmts.iter().flat_map(|s| s.kind.exprs()).for_each(|e| e.walk(&mut note));
        block.end.kind.exprs().into_iter().for_each(|e| e.walk(&mut note));
    }
    for relocation in program.globals.iter().flat_map(|g| &g.init).flat_map(|i| &i.relocations) {
        if let Address::Procedure(id) = relocation.target {
            taken.insert(id);
        }
    }
    taken
}
