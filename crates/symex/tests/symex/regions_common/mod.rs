//! C snippets and what the analyses say of them, by name.
#![allow(dead_code, reason = "each test file uses a part")]

use std::sync::Arc;
use verdiff_front::{Inputs, load};
use verdiff_model::{GlobalId, LocalId, ProcId, Program, StmtKind, VarId, validate};
use verdiff_symex::regions::{RegionId, RegionInfo, Regions};

/// One program of those that were looked at together.
pub struct Side {
    pub program: Arc<Program>,
    pub regions: Arc<Regions>,
    pub side: verdiff_model::Side,
}

/// A program by itself.
pub fn one(source: &str) -> Side {
    let program = Arc::new(Side::files(&[("x.c", source)]));
    let regions = Arc::new(Regions::analyse(&[&program]));
    Side { program, regions, side: verdiff_model::Side::Old }
}

/// Two versions.
pub fn both(old: &str, new: &str) -> (Side, Side) {
    Side::together(Side::files(&[("old.c", old)]), Side::files(&[("new.c", new)]))
}

impl Side {
    pub fn files(files: &[(&str, &str)]) -> Program {
        let folder = tempfile::tempdir().unwrap();
        let mut paths = vec![];
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            paths.push(path);
        }
        let loaded = load(&Inputs { paths, ..Inputs::default() }).unwrap();
        validate(&loaded.program).unwrap_or_else(|problems| panic!("{problems:?}"));
        loaded.program
    }

    pub fn together(old: Program, new: Program) -> (Side, Side) {
        let regions = Arc::new(Regions::analyse(&[&old, &new]));
        let old = Side {
            program: Arc::new(old),
            regions: regions.clone(),
            side: verdiff_model::Side::Old,
        };
        (old, Side { program: Arc::new(new), regions, side: verdiff_model::Side::New })
    }

    pub fn procedure(&self, name: &str) -> ProcId {
        self.program.procedure_named(name).unwrap()
    }

    pub fn outside(&self) -> RegionId {
        self.regions.outside()
    }

    pub fn info(&self, region: RegionId) -> &RegionInfo {
        self.regions.info(region)
    }

    pub fn global(&self, name: &str) -> RegionId {
        let id: GlobalId = self.program.global_named(name).unwrap();
        self.regions.of_global(self.side, id)
    }

    /// The region of a local object.
    pub fn local(&self, procedure: &str, name: &str) -> RegionId {
        let id = self.procedure(procedure);
        let locals = &self.program.procedure(id).locals;
        let position = locals.iter().position(|l| l.name == name);
        let local = LocalId::new(position.unwrap_or_else(|| panic!("{name} is no object")));
        self.regions.of_local(self.side, id, local)
    }

    /// The region that a variable points to.
    pub fn var(&self, procedure: &str, name: &str) -> RegionId {
        let id = self.procedure(procedure);
        let position = self.program.procedure(id).vars.iter().position(|v| v.name == name);
        let var = VarId::new(position.unwrap_or_else(|| panic!("{name} is no variable")));
        self.regions.of_var(self.side, id, var)
    }

    /// The region of the first store in a procedure.
    pub fn stored(&self, procedure: &str) -> RegionId {
        let id = self.procedure(procedure);
        let stmts = self.program.procedure(id).blocks.iter().flat_map(|b| &b.stmts);
        let mut addresses = stmts.filter_map(|s| match &s.kind {
            StmtKind::Store { addr, .. } => Some(addr),
            _ => None,
        });
        self.regions.region_of(self.side, id, addresses.next().unwrap())
    }
}
