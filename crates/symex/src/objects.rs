//! Things with a name and their addresses: globals, functions, literals.
//!
//! One name is one object in both versions, unless it is a constant that holds something else in each
//! ([`Program::contents`](verdiff_model::Program::contents)).

use crate::execute::{Construct, Executor, Stop};
use crate::space::ObjectId;
use verdiff_logic::{Sort, TermId};
use verdiff_model::{Address, GlobalId, Init, Loc, ProcId};

impl Executor<'_> {
    /// The address of something that is there throughout the run.
    pub(crate) fn constant_address(&mut self, target: Address) -> Result<TermId, Stop> {
        match target {
            Address::Global(id) => {
                let object = self.global_object(id)?;
                let base = self.space.object_at(object).base;
                self.unless_missing(&self.program.global(id).symbol, base)
            }
            Address::Procedure(id) => self.function_address(&self.procedure_name(id)),
            Address::External(id) => {
                let name = &self.program.external(id).name;
                let base = self.function_address(name)?;
                self.unless_missing(name, base)
            }
            Address::Local(_) => Err(Stop::Construct(Construct::LocalInInitialiser)),
        }
    }

    /// The address of a symbol; null if it is a weak one that nobody defines.
    fn unless_missing(&mut self, symbol: &str, base: TermId) -> Result<TermId, Stop> {
        let (present, null) = (self.is_present(symbol)?, self.space.pool.bits(64, 0)?);
        Ok(self.space.ite(present, base, null)?)
    }

    /// Whether a weak symbol that is not defined here is defined elsewhere: one truth for both versions.
    pub(crate) fn is_present(&mut self, symbol: &str) -> Result<TermId, Stop> {
        match self.program.weak_undefined.contains(symbol) {
            true => Ok(self.space.pool.symbol(&format!("present.{symbol}"), Sort::Bool)?),
            false => Ok(self.space.pool.truth()),
        }
    }

    /// A function's address: an object of one byte, so that it is apart from all others.
    pub(crate) fn function_address(&mut self, name: &str) -> Result<TermId, Stop> {
        let one = self.space.pool.bits(64, 1)?;
        let object = self.space.object(&format!("{name}()"), one, 16, false, true)?;
        Ok(self.space.object_at(object).base)
    }

    /// A procedure's name; where a static one shares it with another file's, the file and the
    /// linker's name are added, for they are two functions.
    pub(crate) fn procedure_name(&self, id: ProcId) -> String {
        let proc = self.program.procedure(id);
        let shared = self.program.procedures.iter().filter(|p| p.name == proc.name).count() > 1;
        if shared { self.in_file(proc.loc, &proc.symbol) } else { proc.name.clone() }
    }

    /// A name with that of its file, without the folder: versions lie in different ones.
    fn in_file(&self, loc: Loc, symbol: &str) -> String {
        let path = if loc.is_known() { self.program.file(loc.file) } else { "" };
        format!("{}:{symbol}", path.rsplit('/').next().unwrap_or(path))
    }

    /// The object of a global.
    pub(crate) fn global_object(&mut self, id: GlobalId) -> Result<ObjectId, Stop> {
        if let Some(object) = self.objects.get(&id) {
            return Ok(*object);
        }
        let global = self.program.global(id);
        let same = |g: &verdiff_model::Global| g.name == global.name && g.owner == global.owner;
        let shared = self.program.globals.iter().filter(|g| same(g)).count() > 1;
        let name = match &global.owner {
            // Statics of several files, or of one function's blocks, are several objects.
            _ if shared => self.in_file(global.loc, &global.symbol),
            Some(owner) => format!("{owner}.{}", global.name),
            None => global.name.clone(),
        };
        let contents = match &global.init {
            Some(_) if global.constant => {
                Some(self.program.contents(id, &|id| self.procedure_name(id)))
            }
            _ => None,
        };
        // A private constant (a string literal) has no name that both versions know it by:
        // its contents are its name.
        let name = match (&global.init, contents) {
            (Some(init), Some(contents)) if global.is_literal() => literal_name(init, contents),
            _ => name,
        };
        let mut size = self.space.pool.bits(64, global.size.into())?;
        if global.open_ended {
            // It goes on as far as it goes, in both versions alike.
            let more = self.space.pool.symbol(&format!("more.{name}"), Sort::BitVec(61))?;
            let more = self.space.pool.zero_extend(3, more)?;
            size = self.space.pool.bv_add(size, more)?;
        }
        let (align, constant) = (global.align.into(), global.constant);
        let object = self.space.object_holding(&name, size, align, false, constant, contents)?;
        self.objects.insert(id, object);
        Ok(object)
    }
}

/// A name for a constant without one: its text as far as a symbol can show it, and its contents as a number
/// ([`contents`](verdiff_model::Program::contents)), so that different contents have different names.
pub fn literal_name(init: &Init, contents: u128) -> String {
    let shown: String = init
        .bytes
        .iter()
        .take(24)
        .map(|b| *b as char)
        .filter(|c| c.is_ascii_graphic() && !"|\\".contains(*c))
        .collect();
    format!("literal.{shown}.{contents:032x}")
}
