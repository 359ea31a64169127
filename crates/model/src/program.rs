//! A program: what two C sources become before anything is compared.

use crate::ctype::{CType, CTypes, Qualifier};
use crate::expr::{Address, Expr};
use crate::ids::{BlockId, CTypeId, ExternId, FileId, GlobalId, LocalId, ProcId, VarId};
use crate::opaque::{Opaque, OpaqueBody};
use crate::stmt::{Loc, Signature, Stmt, Terminator};
use crate::types::Type;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The deepest expression the front end builds; deeper ones go through a temporary.
/// It bounds every recursion over expressions.
pub const MAX_EXPR_DEPTH: usize = 100;

/// A whole program, linked: every name is resolved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Program {
    /// The target triple it was compiled for.
    pub target: String,
    /// Source files, as clang names them.
    pub files: Vec<String>,
    /// C types, for people.
    pub ctypes: CTypes,
    /// Global objects.
    pub globals: Vec<Global>,
    /// Procedures with a body.
    pub procedures: Vec<Procedure>,
    /// Functions and operations without one.
    pub externals: Vec<External>,
    /// What runs before `main`, as the linker lists it.
    #[serde(default)]
    pub constructors: Vec<Startup>,
    /// What runs when the process ends.
    #[serde(default)]
    pub destructors: Vec<Startup>,
    /// Linker names of functions and objects that are declared weak and not defined: null where nobody defines them.
    #[serde(default)]
    pub weak_undefined: BTreeSet<String>,
    /// Linker names of definitions that give way to another one, if there is one.
    #[serde(default)]
    pub weak_definitions: BTreeSet<String>,
    /// Whether some global is defined here with an initialiser that could not be expressed: what it holds, and which addresses
    /// are in it, is not known.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden_initialisers: bool,
    /// Globals that code outside may find though it cannot name them: by an alias, in a section.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub found_otherwise: BTreeSet<GlobalId>,
    /// Whether a file has assembly outside of functions, which may read, write and call anything by its name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub assembly: bool,
}

/// A function that runs before or after `main`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Startup {
    /// Lower ones run earlier (later, for what runs at the end).
    pub priority: u32,
    /// The function.
    pub function: Address,
}

/// Who can see a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Linkage {
    /// Every file of the program, and the outside.
    External,
    /// Its own file (`static`).
    Internal,
}

/// A global object: a global variable, a static local, a string literal, a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Global {
    /// The name in the source; for what has none (a string literal), the compiler's.
    pub name: String,
    /// The name the linker sees, unique in the program.
    pub symbol: String,
    /// The procedure a static local belongs to.
    pub owner: Option<String>,
    /// What it is known by in both versions of a comparison, if the symbol does not say that: a static variable whose
    /// name others have, too.
    #[serde(default)]
    pub identity: Option<String>,
    /// Who can see it.
    pub linkage: Linkage,
    /// Size in bytes.
    pub size: u64,
    /// Whether it may be larger: it is defined elsewhere, and declared without an end (`extern int table[];`).
    #[serde(default)]
    pub open_ended: bool,
    /// Alignment in bytes.
    pub align: u32,
    /// Whether it may never be written.
    pub constant: bool,
    /// Whether each thread has its own; there is one thread here.
    pub thread_local: bool,
    /// What it holds at the start; `None` if it is defined elsewhere.
    pub init: Option<Init>,
    /// Its C type.
    pub ctype: Option<CTypeId>,
    /// Where it is declared.
    pub loc: Loc,
}

/// The initial bytes of a global: zeros, but for these.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Init {
    /// Bytes from offset 0 on; the rest of the object is zero. Empty for an all-zero object.
    pub bytes: Vec<u8>,
    /// Addresses in it, 8 bytes each, in order of offset; the bytes below them are zero.
    pub relocations: Vec<Relocation>,
}

/// An address within an initialiser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Relocation {
    /// Where in the object.
    pub offset: u64,
    /// The address of what; never a local.
    pub target: Address,
    /// How many bytes past it.
    pub addend: i64,
}

/// A procedure: a C function, or a region outlined from one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Procedure {
    /// The name in the source.
    pub name: String,
    /// The name the linker sees, unique in the program.
    pub symbol: String,
    /// Who can see it.
    pub linkage: Linkage,
    /// Where it is defined.
    pub loc: Loc,
    /// Parameters in order, each a variable.
    pub params: Vec<VarId>,
    /// Types of the results: none for `void`, several for a struct in registers.
    pub results: Vec<Type>,
    /// Whether it takes further arguments. They are where its [areas](Procedure::areas) are; without areas it cannot read them.
    pub variadic: bool,
    /// Its C type.
    pub ctype: Option<CTypeId>,
    /// All variables.
    pub vars: Vec<Var>,
    /// Local objects: locals whose address is used. Made uninitialised at entry, dead at return.
    pub locals: Vec<Local>,
    /// Blocks; control enters at the first. Empty exactly if something is unsupported.
    pub blocks: Vec<Block>,
    /// What could not be lowered.
    pub unsupported: Vec<Unsupported>,
    /// What is known of its code if something is unsupported; `None` then if that is nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opaque: Option<Box<Opaque>>,
    /// Its code with holes if something is unsupported and all but that could be lowered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with_holes: Option<Box<OpaqueBody>>,
    /// The procedure and region it was outlined from.
    pub outlined_from: Option<ProcId>,
}

/// A construct the model cannot express, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Unsupported {
    /// In words: `va_arg`, `setjmp`.
    pub construct: String,
    /// Where.
    pub loc: Loc,
    /// If it is a use of what nobody knows the definition of: the name of that, and a [fingerprint](crate::fingerprint) of
    /// the code of the procedure with all names in it. Equal fingerprints do not mean that both versions do the same: they say that
    /// the change, if any, lies in what is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unlinked: Option<(String, u128)>,
}

impl Unsupported {
    /// A construct at its place.
    pub fn new(construct: impl Into<String>, loc: Loc) -> Unsupported {
        Unsupported { construct: construct.into(), loc, unlinked: None }
    }
}

/// A variable: a parameter, a local whose address does not escape, or a temporary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Var {
    /// The name in the source. Not unique: blocks may declare one name twice.
    pub name: String,
    /// Machine type.
    pub ty: Type,
    /// C type, where known.
    pub ctype: Option<CTypeId>,
    /// What it is.
    pub kind: VarKind,
}

/// What a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum VarKind {
    /// A parameter.
    Parameter,
    /// A parameter that says where further arguments of a variadic function are: in the area of registers, on the stack.
    VariadicArea,
    /// A local variable of the source (or one scalar of a local struct).
    Local,
    /// A value the lowering had to name.
    Temporary,
}

/// A local object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Local {
    /// The name in the source, or the compiler's.
    pub name: String,
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u32,
    /// C type, where known.
    pub ctype: Option<CTypeId>,
    /// Where it is declared.
    pub loc: Loc,
}

/// A basic block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// The compiler's label, `for.cond`; for people only.
    pub label: String,
    /// Statements in order.
    pub stmts: Vec<Stmt>,
    /// Where control goes then.
    pub end: Terminator,
}

/// A function or operation that is called and not defined here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct External {
    /// The linker's name; for inline assembly, its text.
    pub name: String,
    /// What kind it is.
    pub kind: ExternalKind,
    /// Its machine types.
    pub signature: Signature,
    /// Its C type, where known.
    pub ctype: Option<CTypeId>,
    /// Whether it is declared never to return.
    pub no_return: bool,
    /// For each parameter that points to a struct passed by value, the struct's size.
    pub by_value: Vec<Option<u64>>,
}

/// What kind of external it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ExternalKind {
    /// A function.
    Function,
    /// Inline assembly.
    Assembly,
    /// A compiler intrinsic with a meaning that is not modelled, free of side effects.
    PureIntrinsic,
}

impl Program {
    /// A procedure.
    pub fn procedure(&self, id: ProcId) -> &Procedure {
        &self.procedures[id.index()]
    }

    /// A global.
    pub fn global(&self, id: GlobalId) -> &Global {
        &self.globals[id.index()]
    }

    /// An external.
    pub fn external(&self, id: ExternId) -> &External {
        &self.externals[id.index()]
    }

    /// The name of a file.
    pub fn file(&self, id: FileId) -> &str {
        self.files.get(id.index()).map_or("", String::as_str)
    }

    /// Whether code of the program may run when the process ends, and so see what memory holds then: destructors, or
    /// handlers that it registers.
    pub fn runs_at_exit(&self) -> bool {
        const REGISTER: [&str; 4] = ["atexit", "at_quick_exit", "on_exit", "__cxa_atexit"];
        !self.destructors.is_empty()
            || self.externals.iter().any(|e| REGISTER.contains(&e.name.as_str()))
    }

    /// All procedures with their ids.
    pub fn procedure_ids(&self) -> impl Iterator<Item = ProcId> + use<> {
        (0..self.procedures.len()).map(ProcId::new)
    }

    /// The procedure with this name: the one the linker knows by it, else the only one
    /// the source knows by it.
    pub fn procedure_named(&self, name: &str) -> Option<ProcId> {
        let by_symbol = self.procedures.iter().position(|p| p.symbol == name);
        let by_name = || {
            let mut found = self.procedures.iter().enumerate().filter(|(_, p)| p.name == name);
            match (found.next(), found.next()) {
                (Some((index, _)), None) => Some(index),
                _ => None,
            }
        };
        by_symbol.or_else(by_name).map(ProcId::new)
    }

    /// The name of the file of a place, without its folder: versions lie in different folders. Empty if the place is not known.
    pub fn file_name(&self, loc: Loc) -> &str {
        let path = if loc.is_known() { self.file(loc.file) } else { "" };
        base_name(path)
    }

    /// The global with this name, found as [`Program::procedure_named`] finds procedures.
    pub fn global_named(&self, name: &str) -> Option<GlobalId> {
        let by_symbol = self.globals.iter().position(|g| g.symbol == name);
        let by_name = || {
            let mut found = self.globals.iter().enumerate().filter(|(_, g)| g.name == name);
            match (found.next(), found.next()) {
                (Some((index, _)), None) => Some(index),
                _ => None,
            }
        };
        by_symbol.or_else(by_name).map(GlobalId::new)
    }
}

/// The last part of a path.
pub fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

impl Procedure {
    /// Where control enters.
    pub const ENTRY: BlockId = BlockId(0);

    /// A variable.
    pub fn var(&self, id: VarId) -> &Var {
        &self.vars[id.index()]
    }

    /// A block.
    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.index()]
    }

    /// A local object.
    pub fn local(&self, id: LocalId) -> &Local {
        &self.locals[id.index()]
    }

    /// All blocks' ids.
    pub fn block_ids(&self) -> impl Iterator<Item = BlockId> + use<> {
        (0..self.blocks.len()).map(BlockId::new)
    }

    /// Whether all of it could be lowered.
    pub fn is_supported(&self) -> bool {
        self.unsupported.is_empty()
    }

    /// The type of an expression of this procedure.
    pub fn type_of(&self, e: &Expr) -> Type {
        e.ty(&|v| self.var(v).ty)
    }

    /// The machine types of the procedure.
    pub fn signature(&self) -> Signature {
        Signature {
            params: self.params.iter().map(|p| self.var(*p).ty).collect(),
            results: self.results.clone(),
            variadic: self.variadic,
        }
    }

    /// Whether it may be called through a pointer with these types. A procedure with [areas](Procedure::areas) may not: only a call
    /// by its name makes them. The front end gives areas to none to which a proper call through a pointer may lead.
    pub fn may_be_called_as(&self, agree: impl Fn(&Signature) -> bool) -> bool {
        self.areas().next().is_none() && agree(&self.signature())
    }

    /// The parameters that say where further arguments are: none or two, after all others.
    pub fn areas(&self) -> impl Iterator<Item = VarId> {
        let area = |id: &&VarId| self.var(**id).kind == VarKind::VariadicArea;
        self.params.iter().filter(area).copied()
    }

    /// For each parameter, whether the source declares it as a `restrict` pointer: what it points to is then
    /// reached in no other way. `false` also where the ABI's parameters may not be the source's, from the first struct that
    /// is passed by value on.
    pub fn restrict_params(&self, program: &Program) -> Vec<bool> {
        let types = &program.ctypes;
        let kind = |id: CTypeId| types.get(types.resolve(id));
        let mut list = vec![false; self.params.len()];
        let Some(CType::Function { result, parameters, .. }) = self.ctype.map(kind) else {
            return list;
        };
        // A struct that is returned in memory has a parameter of its own, in front.
        let in_memory = self.results.is_empty() && matches!(kind(*result), CType::Record { .. });
        let by_value = |id: &&CTypeId| !matches!(kind(**id), CType::Record { .. });
        let places = list.iter_mut().zip(&self.params).skip(usize::from(in_memory));
        for ((place, param), ctype) in places.zip(parameters.iter().take_while(by_value)) {
            *place = self.var(*param).ty == Type::Ptr
                && types.has_qualifier(*ctype, Qualifier::Restrict);
        }
        list
    }

    /// Adds a variable.
    pub fn add_var(&mut self, var: Var) -> VarId {
        self.vars.push(var);
        VarId::new(self.vars.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::ProcBuilder;

    #[test]
    fn restrict_is_seen_under_names_and_other_qualifiers() {
        let mut program = Program::default();
        let types = &mut program.ctypes;
        let int = types.add(CType::Int { name: "int".to_owned(), width: 32, signed: true });
        let plain = types.add(CType::Pointer(int));
        let qualified = |qualifier, target| CType::Qualified { qualifier, target };
        let alone = types.add(qualified(Qualifier::Restrict, plain));
        let kept = types.add(qualified(Qualifier::Const, alone));
        let named = types.add(CType::Typedef { name: "out".to_owned(), target: kept });
        let to_alone = types.add(CType::Pointer(alone));
        let fields = vec![];
        let record =
            types.add(CType::Record { name: String::new(), union: false, size: 32, fields });
        let mut function = |result: CTypeId, parameters: &[CTypeId], machine: &[Type]| {
            let parameters = parameters.to_vec();
            let ctype = program.ctypes.add(CType::Function { result, parameters, variadic: false });
            let mut b = ProcBuilder::new("f", &[]);
            for ty in machine {
                b.param("p", *ty);
            }
            b.ret(vec![]);
            let procedure = Procedure { ctype: Some(ctype), ..b.finish() };
            procedure.restrict_params(&program)
        };
        let (p, i) = (Type::Ptr, Type::Int(32));
        let all = [alone, plain, named, int, to_alone];
        assert_eq!(function(int, &all, &[p, p, p, i, p]), [true, false, true, false, false]);
        assert_eq!(function(record, &[alone, plain], &[p, p, p]), [false, true, false]);
        // Nobody knows here how a struct is passed.
        assert_eq!(function(int, &[alone, record, alone], &[p, p, p]), [true, false, false]);
        assert_eq!(function(int, &[alone, alone], &[p]), [true]);
    }
}
