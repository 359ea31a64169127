//! Things with a name and their addresses: globals, functions, literals.
//!
//! One name is one object in both versions, unless it is a constant that holds something else in each
//! ([`Program::contents`](verdiff_model::Program::contents)).

use crate::execute::{Construct, Executor, Stop};
use crate::space::{Object, ObjectId, Space};
use verdiff_logic::{EntrySymbol, LogicError, Sort, TermId};
use verdiff_model::{Address, GlobalId, Init, Linkage, Loc, ProcId};

impl Space {
    /// The object of this name and size, made if there is none. Two versions that give one
    /// name different sizes mean different objects.
    pub fn object(
        &mut self,
        name: &str,
        size: TermId,
        align: u64,
        fresh: bool,
        read_only: bool,
    ) -> Result<ObjectId, LogicError> {
        self.object_holding(name, size, align, fresh, read_only, None)
    }

    /// The same for a constant with these contents. Two versions that give one name different contents mean different
    /// objects: whoever gets the address sees what is there, so the addresses must not be taken for one.
    pub fn object_holding(
        &mut self,
        name: &str,
        size: TermId,
        align: u64,
        fresh: bool,
        read_only: bool,
        contents: Option<u128>,
    ) -> Result<ObjectId, LogicError> {
        let (name, align, outlives) = (name.to_owned(), align.max(1), !fresh);
        // Where it begins is known when it is known to be a new one.
        let (base, function) = (size, None);
        self.known(Object {
            name,
            base,
            size,
            align,
            fresh,
            read_only,
            outlives,
            contents,
            function,
        })
    }

    /// A function as an object of one byte, so that its address is apart from all others.
    pub fn function(&mut self, name: &str) -> Result<ObjectId, LogicError> {
        let one = self.pool.bits(64, 1)?;
        self.known(Object {
            name: format!("{name}()"),
            base: one,
            size: one,
            align: 16,
            fresh: false,
            read_only: true,
            outlives: true,
            contents: None,
            function: Some(name.into()),
        })
    }

    /// An object that is there already, or this one, with an address of its own. A variable and a function are two objects, however they are
    /// named, and so are one that is there at entry and one that is made during the run.
    fn known(&mut self, object: Object) -> Result<ObjectId, LogicError> {
        let same = self.by_name.entry(object.name.clone()).or_default();
        let is_it = |o: &Object| {
            o.size == object.size
                && o.contents == object.contents
                && o.fresh == object.fresh
                && o.function == object.function
        };
        if let Some(id) = same.iter().find(|id| is_it(&self.objects[id.0 as usize])) {
            return Ok(*id);
        }
        let mut name = format!("{}{}", object.name, "'".repeat(same.len()));
        let id = ObjectId(self.objects.len() as u32);
        same.push(id);
        let mut base = self.pool.symbol(&EntrySymbol::Address(&name).name(), Sort::BitVec(64))?;
        // A linker's name may have primes of its own, and two objects never share an address.
        while self.by_base.contains_key(&base) {
            name.push('\'');
            base = self.pool.symbol(&EntrySymbol::Address(&name).name(), Sort::BitVec(64))?;
        }
        self.objects.push(Object { base, ..object });
        self.by_base.insert(base, id);
        Ok(id)
    }

    /// The function of a name, if its address was taken.
    pub(crate) fn function_named(&self, name: &str) -> Option<ObjectId> {
        let ids = self.by_name.get(&format!("{name}()"))?;
        ids.iter().find(|id| self.object_at(**id).function.is_some()).copied()
    }
}

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

    /// A function's address.
    pub(crate) fn function_address(&mut self, name: &str) -> Result<TermId, Stop> {
        let object = self.space.function(name)?;
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
        format!("{}:{symbol}", self.program.file_name(loc))
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
            _ if global.identity.is_some() => global.identity().to_owned(),
            // Statics of several files, or of one function's blocks, are several objects. What all files see is none of them.
            _ if shared && global.linkage == Linkage::Internal => {
                self.in_file(global.loc, &global.symbol)
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Names of linkers may have any characters: what an object is must not be read off its name.
    #[test]
    fn objects_of_one_name_are_told_apart_by_what_they_are() {
        let mut space = Space::new();
        let one = space.pool.bits(64, 1).unwrap();
        let function = space.function("g").unwrap();
        let variable = space.object("g()", one, 1, false, false).unwrap();
        let allocated = space.object("g()", one, 1, true, false).unwrap();
        let primed = space.object("g()'", one, 1, false, false).unwrap();
        let all = [function, variable, allocated, primed];
        let bases = all.map(|id| space.object_at(id).base);
        for (index, base) in bases.iter().enumerate() {
            assert!(!bases[..index].contains(base), "{index}");
        }
        assert_eq!(space.functions_behind(bases[0]), Some(vec![function]));
        assert_eq!(space.functions_behind(bases[1]), None);
        assert_eq!(space.function("g").unwrap(), function);
        assert_eq!(space.object("g()", one, 1, false, false).unwrap(), variable);
    }
}
