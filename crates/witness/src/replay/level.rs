//! Two versions start from one state.
//!
//! A request names a state for each side, in its own numbers. They must be the same state, or what the
//! two runs do differently would say nothing. Globals that the state does not mention hold what their
//! initialisers say, and where these were changed the versions would start from different states: then both
//! start from the old one's. (A changed initialiser is a difference of its own, and `main` does start from it.)

use super::Request;
use crate::translate::Translation;
use verdiff_judge::ReplayProblem;
use verdiff_model::state::{Contents, EntryState, initial_contents};
use verdiff_model::{GlobalId, Program};

/// What has to be set so that both versions start alike.
pub(super) struct Level<'a> {
    old: &'a Program,
    new: &'a Program,
    translation: Translation,
    /// Globals whose initialisers differ: the old and the new number, and what the old one holds, in
    /// the numbers of each; `None` if the new version does not have what it points to.
    changed: Vec<(GlobalId, GlobalId, Contents, Option<Contents>)>,
}

impl<'a> Level<'a> {
    pub(super) fn new(old: &'a Program, new: &'a Program) -> Level<'a> {
        let translation = Translation::new(old, new);
        let mut changed = vec![];
        for (index, global) in old.globals.iter().enumerate() {
            let id = GlobalId::new(index);
            let Some(other) = translation.global(id) else {
                continue;
            };
            let there = new.global(other);
            let is_state = |g: &verdiff_model::Global| {
                !g.constant && !g.thread_local && g.init.is_some() && g.size <= 1 << 20
            };
            if !is_state(global) || !is_state(there) || global.size != there.size {
                continue;
            }
            let held = initial_contents(old, id);
            let translated = translation.contents(&held);
            if translated.as_ref() != Some(&initial_contents(new, other)) {
                changed.push((id, other, held, translated));
            }
        }
        Level { old, new, translation, changed }
    }

    /// The request with both sides starting alike; an error says why they do not.
    pub(super) fn request(&self, request: &Request) -> Result<Request, ReplayProblem> {
        let mut request = request.clone();
        let (old, new) = (&mut request.old.1, &mut request.new.1);
        self.compare(old, new)?;
        let procedure = self.old.procedures.get(request.old.0.index());
        if procedure.is_none_or(|p| p.name != "main") {
            self.set(old, new)?;
        }
        Ok(request)
    }

    /// The new side's state for one of the old side.
    pub(super) fn translated(&self, entry: &EntryState) -> Option<EntryState> {
        self.translation.entry(entry)
    }

    fn compare(&self, old: &EntryState, new: &EntryState) -> Result<(), ReplayProblem> {
        let other = || ReplayProblem::OtherState;
        let mut bare = old.clone();
        bare.globals.clear();
        // What one version alone has, or calls by another name, cannot be compared.
        let bare = self.translation.entry(&bare).ok_or_else(other)?;
        // With another signature, as many parameters as both have.
        let args = bare.args.iter().zip(&new.args).all(|(a, b)| a == b);
        if !args || bare.objects != new.objects || bare.outside != new.outside {
            return Err(other());
        }
        for (id, contents) in &old.globals {
            let Some(there) = self.translation.global(*id) else {
                continue;
            };
            let expected = self.translation.contents(contents).ok_or_else(other)?;
            let held = new.globals.iter().find(|(g, _)| *g == there).map(|(_, c)| c.clone());
            if held.unwrap_or_else(|| initial_contents(self.new, there)) != expected {
                return Err(other());
            }
        }
        for (id, contents) in &new.globals {
            let Some(mine) = self.translation.global_back(*id) else {
                continue;
            };
            let is_set = old.globals.iter().any(|(g, _)| *g == mine);
            let initial = self.translation.contents(&initial_contents(self.old, mine));
            if !is_set && initial.as_ref() != Some(contents) {
                return Err(other());
            }
        }
        Ok(())
    }

    fn set(&self, old: &mut EntryState, new: &mut EntryState) -> Result<(), ReplayProblem> {
        for (id, there, held, translated) in &self.changed {
            if old.globals.iter().any(|(g, _)| g == id)
                || new.globals.iter().any(|(g, _)| g == there)
            {
                continue;
            }
            let Some(translated) = translated else {
                let name = &self.old.global(*id).name;
                return Err(ReplayProblem::OtherInitialiser(name.clone()));
            };
            old.globals.push((*id, held.clone()));
            new.globals.push((*there, translated.clone()));
        }
        Ok(())
    }
}
