//! What of one version is compiled, linked and started.
//!
//! It is made when it is first needed, or before that, by whoever expects to need it: it can be made in another thread, and needs no
//! more than something that compiles.

use crate::agree::{Build, Maker};
use crate::compiled::{CompiledError, CompiledProgram, Instrument, Place, Toolchain};
use std::collections::HashMap;

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
    /// What every request needs: the plain program at the usual place and at so many others. An error is kept, and told when the program is used.
    pub fn plain(toolchain: &Toolchain, make: Maker<'_>, places: u32) -> Ready {
        let mut ready = Ready::default();
        let build = make(PLAIN);
        if let Ok(build) = &build {
            let link = |place| CompiledProgram::build_at(toolchain, build.parts(PLAIN), place);
            // Both at once, where there are cores for it.
            let (usual, elsewhere) = std::thread::scope(|scope| {
                let other = scope.spawn(|| {
                    let first = link(Place::Elsewhere);
                    let more: Vec<_> = match &first {
                        Ok(first) => (2..=places).map(|_| first.another()).collect(),
                        Err(_) => vec![],
                    };
                    std::iter::once(first).chain(more).collect::<Vec<_>>()
                });
                (link(Place::Usual), other.join().unwrap_or_default())
            });
            let programs = std::iter::once(usual).chain(elsewhere);
            for (place, program) in (0..).zip(programs) {
                ready.programs.insert((PLAIN, place), told(program));
            }
        }
        ready.builds.insert(PLAIN, build);
        ready
    }

    /// Whether the plain program was made and nothing failed.
    pub fn is_plain(&self) -> bool {
        let linked = |place| matches!(self.programs.get(&(PLAIN, place)), Some(Ok(_)));
        self.programs.values().all(Result::is_ok) && linked(0) && linked(1)
    }

    /// Whether the plain program was at least tried.
    pub(super) fn was_tried(&self) -> bool {
        self.builds.contains_key(&PLAIN)
    }

    /// The build for an instrument, which is made if there is none.
    pub(super) fn build(
        &mut self,
        instrument: Instrument,
        make: Maker<'_>,
    ) -> Result<&Build, &String> {
        self.builds.entry(instrument).or_insert_with(|| make(instrument)).as_ref()
    }

    /// The build for an instrument, if it was made.
    pub(super) fn built(&self, instrument: Instrument) -> Option<&Build> {
        self.builds.get(&instrument)?.as_ref().ok()
    }

    /// The program of a build, at a place; it is linked and started if it was not.
    pub(super) fn program(
        &mut self,
        toolchain: &Toolchain,
        instrument: Instrument,
        place: u32,
    ) -> Option<(&Build, Result<&mut CompiledProgram, &String>)> {
        let build = self.builds.get(&instrument)?.as_ref().ok()?;
        // Further places are further processes of the second one's program.
        let copied = match self.programs.get(&(instrument, 1)) {
            Some(Ok(program)) if place > 1 && !self.programs.contains_key(&(instrument, place)) => {
                Some(program.another())
            }
            _ => None,
        };
        let program = self.programs.entry((instrument, place)).or_insert_with(|| {
            told(copied.unwrap_or_else(|| {
                let place = if place == 0 { Place::Usual } else { Place::Elsewhere };
                CompiledProgram::build_at(toolchain, build.parts(instrument), place)
            }))
        });
        Some((build, program.as_mut().map_err(|why| &*why)))
    }
}

fn told(program: Result<CompiledProgram, CompiledError>) -> Result<CompiledProgram, String> {
    program.map_err(|why| why.to_string())
}
