//! What of one version is compiled, linked and started.
//!
//! It is made when it is first needed, or before that, by whoever expects to need it: it can be made in another thread, and needs no
//! more than something that compiles.

use crate::agree::{Build, Maker};
use crate::compiled::{CompiledError, CompiledProgram, Instrument, LoadAddress, Toolchain};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use verdiff_process::Deadline;

/// What really is compiled, and what requests are translated to.
pub(super) const PLAIN: Instrument = Instrument::AsWritten;

/// What of one version is ready to run.
#[derive(Default)]
pub struct Ready {
    builds: HashMap<Instrument, Result<Build, String>>,
    /// By instrument and place: 0 is the usual one, all others are elsewhere.
    programs: HashMap<(Instrument, u32), Result<CompiledProgram, String>>,
}

impl Ready {
    /// What every request needs: the plain program at the usual place and at so many others. An error is kept, and told when the program
    /// is used, but for one: who had too little time made nothing, and another may have more.
    pub fn plain(toolchain: &Toolchain, make: Maker<'_>, places: u32, deadline: Deadline) -> Ready {
        let mut ready = Ready::default();
        let build = make(PLAIN, deadline);
        if let Ok(build) = &build {
            let link =
                |place| CompiledProgram::build_at(toolchain, build.parts(PLAIN), place, deadline);
            // Both at once, where there are cores for it.
            let (usual, elsewhere) = std::thread::scope(|scope| {
                let other = scope.spawn(|| {
                    let first = link(LoadAddress::Elsewhere);
                    let more: Vec<_> = match &first {
                        Ok(first) => (2..=places).map(|_| first.another(deadline)).collect(),
                        Err(_) => vec![],
                    };
                    std::iter::once(first).chain(more).collect::<Vec<_>>()
                });
                (link(LoadAddress::Usual), other.join().unwrap_or_default())
            });
            let programs = std::iter::once(usual).chain(elsewhere);
            for (place, program) in (0..).zip(programs) {
                if !matches!(program, Err(CompiledError::TimedOut)) {
                    ready.programs.insert((PLAIN, place), told(program));
                }
            }
        }
        if build.is_ok() || !deadline.is_over() {
            ready.builds.insert(PLAIN, build);
        }
        ready
    }

    /// Whether the plain program was made and nothing failed.
    pub fn is_plain(&self) -> bool {
        let linked = |place| matches!(self.programs.get(&(PLAIN, place)), Some(Ok(_)));
        self.programs.values().all(Result::is_ok) && linked(0) && linked(1)
    }

    /// Whether it is known if the plain program can be compiled; not if the time was too short.
    pub fn was_tried(&self) -> bool {
        self.builds.contains_key(&PLAIN)
    }

    /// Makes the build for an instrument if there is none. What failed because the deadline passed is tried again for the next one.
    pub(super) fn build(
        &mut self,
        instrument: Instrument,
        make: Maker<'_>,
        deadline: Deadline,
    ) -> Result<&Build, String> {
        let build = match self.builds.entry(instrument) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => {
                let build = make(instrument, deadline);
                if let (Err(why), true) = (&build, deadline.is_over()) {
                    return Err(why.clone());
                }
                unknown.insert(build)
            }
        };
        build.as_ref().map_err(String::clone)
    }

    /// The build for an instrument, if it was made.
    pub(super) fn built(&self, instrument: Instrument) -> Option<&Build> {
        self.builds.get(&instrument)?.as_ref().ok()
    }

    /// The program of a build, at a place; it is linked and started if it was not, until a deadline.
    pub(super) fn program(
        &mut self,
        toolchain: &Toolchain,
        instrument: Instrument,
        place: u32,
        deadline: Deadline,
    ) -> Option<(&Build, Result<&mut CompiledProgram, String>)> {
        let build = self.builds.get(&instrument)?.as_ref().ok()?;
        let key = (instrument, place);
        if !self.programs.contains_key(&key) {
            // Further places are further processes of the second one's program.
            let made = match self.programs.get(&(instrument, 1)) {
                Some(Ok(program)) if place > 1 => program.another(deadline),
                _ => {
                    let place =
                        if place == 0 { LoadAddress::Usual } else { LoadAddress::Elsewhere };
                    CompiledProgram::build_at(toolchain, build.parts(instrument), place, deadline)
                }
            };
            if let Err(why @ CompiledError::TimedOut) = made {
                return Some((build, Err(why.to_string())));
            }
            self.programs.insert(key, told(made));
        }
        let program = self.programs.get_mut(&key)?;
        Some((build, program.as_mut().map_err(|why| why.clone())))
    }
}

fn told(program: Result<CompiledProgram, CompiledError>) -> Result<CompiledProgram, String> {
    program.map_err(|why| why.to_string())
}
