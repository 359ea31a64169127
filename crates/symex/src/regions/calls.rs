//! Calls: of procedures, of known and unknown functions, through pointers.

use super::cells::Access;
use super::classes::Class;
use super::collect::{Collector, Here};
use crate::libc::{self, Known, Returns, Source, Written};
use verdiff_model::{Callee, Expr, External, ExternalKind, ProcId, VarId};

impl Collector<'_, '_> {
    pub(super) fn call(&mut self, here: Here, results: &[VarId], callee: &Callee, args: &[Expr]) {
        match callee {
            Callee::Procedure(id) => self.call_procedure(here, results, *id, args),
            Callee::External(id) => {
                let external = self.programs[here.side].external(*id);
                self.call_external(here, results, external, args);
            }
            Callee::Indirect { signature, .. } => {
                let targets = self.graphs[here.side].indirect_targets(signature).to_vec();
                for id in targets {
                    self.call_procedure(here, results, id, args);
                }
                self.call_unknown(here, results, args);
            }
        }
    }

    fn call_procedure(&mut self, here: Here, results: &[VarId], id: ProcId, args: &[Expr]) {
        let (params, returned) = self.interface(here.side, id);
        for (arg, param) in args.iter().zip(&params) {
            self.flow(here, arg, *param);
        }
        // Further arguments: only a procedure that could not be lowered can read them.
        for arg in args.iter().skip(params.len()) {
            self.escape_value(here, arg);
        }
        for (result, returned) in results.iter().zip(&returned) {
            let result = self.var(here, *result);
            self.same_target(result, *returned);
        }
    }

    fn call_external(&mut self, here: Here, results: &[VarId], external: &External, args: &[Expr]) {
        if external.kind == ExternalKind::PureIntrinsic {
            for result in results {
                let result = self.var(here, *result);
                for arg in args {
                    self.flow(here, arg, result);
                }
            }
            return;
        }
        match libc::known_external(external) {
            Some(known) => self.call_known(here, results, known, args),
            None => self.call_unknown(here, results, args),
        }
    }

    /// A function that may keep all it is given and return anything.
    fn call_unknown(&mut self, here: Here, results: &[VarId], args: &[Expr]) {
        for arg in args {
            self.escape_value(here, arg);
        }
        for result in results {
            let result = self.var(here, *result);
            self.points_to(result, self.outside);
        }
    }

    fn escape_value(&mut self, here: Here, value: &Expr) {
        if let Some(class) = self.value(here, value) {
            self.escape(class);
        }
    }

    fn call_known(&mut self, here: Here, results: &[VarId], known: &Known, args: &[Expr]) {
        let program = self.programs[here.side];
        let touched = libc::touched(known, program, args);
        let places: Vec<Option<Class>> = args.iter().map(|arg| self.value(here, arg)).collect();
        let place = |n: usize| places.get(n).copied().flatten();
        for n in touched.reads.iter().chain(&touched.writes) {
            if let Some(class) = place(*n) {
                self.accesses.push(Access::bytes(class));
            }
        }
        for n in &touched.writes {
            let Some(to) = place(*n) else { continue };
            match &known.written {
                Written::Outside => self.points_to(to, self.outside),
                Written::Params(list) => {
                    for from in list.iter().filter_map(|n| place(*n)) {
                        self.same_target(to, from);
                    }
                }
            }
        }
        for (into, source) in &known.stores {
            let Some(into) = place(*into) else { continue };
            match source {
                Source::Param(n) => {
                    if let Some(class) = place(*n) {
                        self.points_to(into, class);
                    }
                }
                Source::Fresh => {
                    let object = self.site(here, &known.name, None);
                    self.points_to(into, object);
                }
            }
        }
        // What it calls back is an entry: its parameters point outside.
        let calls_back = !known.calls_back.is_empty();
        for (n, class) in places.iter().enumerate() {
            if let (Some(class), true) = (class, calls_back || touched.keeps.contains(&n)) {
                self.escape(*class);
            }
        }
        self.known_result(here, results, known, &places);
    }

    fn known_result(
        &mut self,
        here: Here,
        results: &[VarId],
        known: &Known,
        places: &[Option<Class>],
    ) {
        let fresh = matches!(known.returns, Returns::Fresh | Returns::FreshOr(_))
            .then(|| self.site(here, &known.name, None));
        let given = match known.returns {
            Returns::Value | Returns::Fresh => None,
            Returns::Param(n) | Returns::FreshOr(n) => places.get(n).copied().flatten(),
            Returns::Outside => Some(self.outside),
        };
        if let (Some(fresh), Some(given)) = (fresh, given) {
            self.classes.join(fresh, given);
        }
        for result in results {
            let result = self.var(here, *result);
            for class in [fresh, given].into_iter().flatten() {
                self.points_to(result, class);
            }
        }
    }
}
