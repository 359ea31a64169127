//! Calls: of procedures, of known and unknown functions, through pointers.

use super::cells::Access;
use super::collect::{Collector, Here};
use super::points::Target;
use crate::libc::{self, Extent, FunctionModel, Model, Returns, StoredTarget, Which, Written};
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
            self.same(*returned, result);
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
    pub(super) fn call_unknown(&mut self, here: Here, results: &[VarId], args: &[Expr]) {
        for arg in args {
            self.escape_value(here, arg);
        }
        for result in results {
            let result = self.var(here, *result);
            self.points.hold(result, self.outside);
        }
    }

    fn escape_value(&mut self, here: Here, value: &Expr) {
        if let Some(target) = self.value(here, value) {
            self.escape(target);
        }
    }

    fn call_known(&mut self, here: Here, results: &[VarId], known: &FunctionModel, args: &[Expr]) {
        let program = self.programs[here.side];
        let touched = libc::touched(known, program, args);
        let places: Vec<Option<Target>> = args.iter().map(|arg| self.value(here, arg)).collect();
        let place = |n: usize| places.get(n).copied().flatten();
        for n in touched.reads.iter().chain(&touched.writes) {
            if let Some(place) = place(*n) {
                self.accesses.push(Access::bytes(place));
            }
        }
        // What is written to a file can be read from it again, addresses too.
        if known.world {
            let plain = |extent| !matches!(extent, Extent::String | Extent::StringAtMost(_));
            let shown = known.reads.iter().filter(|touch| plain(touch.extent));
            for place in shown.filter_map(|touch| match touch.which {
                Which::Param(n) => place(n),
                Which::Rest => None,
            }) {
                let held = self.points.anything(place);
                self.points.join(held, self.outside);
            }
        }
        let stores = |n: usize| known.stores.iter().any(|(into, _)| *into == n);
        for n in touched.writes.iter().copied().filter(|n| !stores(*n)) {
            let Some(to) = place(n) else { continue };
            self.written(known, n, to, &places);
        }
        for (into, source) in &known.stores {
            let Some(into) = place(*into) else { continue };
            let held = self.points.field(into, 8);
            match source {
                StoredTarget::Param(n) => {
                    if let Some(target) = place(*n) {
                        self.points.blur(target);
                        self.points.join(held, target);
                    }
                }
                StoredTarget::Fresh => {
                    let object = self.site(here, &known.name, None);
                    self.points.join(held, object);
                }
            }
        }
        // What it calls back is an entry: its parameters lead outside.
        let calls_back = !known.calls_back.is_empty();
        for (n, target) in places.iter().enumerate() {
            if let (Some(target), true) = (target, calls_back || touched.keeps.contains(&n)) {
                self.escape(*target);
            }
        }
        self.known_result(here, results, known, &places);
    }

    /// A known function writes through its argument `n`.
    fn written(&mut self, known: &FunctionModel, n: usize, to: Target, places: &[Option<Target>]) {
        match &known.written {
            Written::Outside => {
                let extent = known.writes.iter().find(|touch| touch.which == Which::Param(n));
                let held = match extent.map(|touch| touch.extent) {
                    Some(Extent::Bytes(width)) => self.points.field(to, width),
                    _ => self.points.anything(to),
                };
                self.points.join(held, self.outside);
            }
            Written::Params(list) => {
                for from in list.iter().filter_map(|n| places.get(*n).copied().flatten()) {
                    self.points.copy(to, from);
                    if !matches!(known.model, Some(Model::Memcpy | Model::Memmove)) {
                        self.points.blur(to);
                    }
                }
            }
        }
    }

    fn known_result(
        &mut self,
        here: Here,
        results: &[VarId],
        known: &FunctionModel,
        places: &[Option<Target>],
    ) {
        let place = |n: usize| places.get(n).copied().flatten();
        let target = match known.returns {
            Returns::Value => return,
            Returns::Outside => Some(self.outside),
            // Anywhere in it.
            Returns::Param(n) => place(n).inspect(|target| {
                if !results.is_empty() {
                    self.points.blur(*target);
                }
            }),
            Returns::Fresh => {
                let object = self.site(here, &known.name, None);
                if let Written::Params(list) = &known.written {
                    for from in list.iter().filter_map(|n| place(*n)) {
                        self.points.copy(object, from);
                    }
                }
                Some(object)
            }
            Returns::FreshOr(n) => {
                let object = self.site(here, &known.name, None);
                if let Some(old) = place(n) {
                    self.points.join(object, old);
                }
                Some(object)
            }
        };
        for result in results {
            let result = self.var(here, *result);
            if let Some(target) = target {
                self.points.hold(result, target);
            }
        }
    }
}
