//! Two versions, compiled and replayed.

use super::{build_inputs, inputs, toolchain};
use std::path::PathBuf;
use verdiff_front::Inputs;
use verdiff_model::state::{Contents, EntryState, Object, Outcome, Pointer, Value};
use verdiff_model::{GlobalId, ProcId, Program};
use verdiff_witness::agree::Build;
use verdiff_witness::replay::{ReplayOptions, Replayed, Replayer, Request, Side};
use verdiff_witness::{Deadline, Instrument, Toolchain};

/// Two versions of a source text.
pub struct Pair {
    pub folder: tempfile::TempDir,
    pub toolchain: Toolchain,
    pub programs: [Program; 2],
    pub files: [PathBuf; 2],
    /// The files; the model and all builds are made from one run of clang.
    inputs: [Inputs; 2],
}

impl Pair {
    pub fn new(old: &str, new: &str) -> Pair {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let file = folder.path().join(name).join("p.c");
            std::fs::create_dir(file.parent().unwrap()).unwrap();
            std::fs::write(&file, text).unwrap();
            file
        };
        let files = [file("old", old), file("new", new)];
        Pair::of_files(folder, files)
    }

    pub fn of_files(folder: tempfile::TempDir, files: [PathBuf; 2]) -> Pair {
        for side in ["old", "new"] {
            let _ = std::fs::create_dir(folder.path().join(side));
        }
        let inputs = files.each_ref().map(|file| inputs(file));
        let programs = inputs.each_ref().map(|inputs| verdiff_front::load(inputs).unwrap().program);
        Pair { folder, toolchain: toolchain(), programs, files, inputs }
    }

    fn make(
        &self,
        side: usize,
        instrument: Instrument,
        deadline: Deadline,
    ) -> Result<Build, String> {
        let folder = self.folder.path().join(["old", "new"][side]);
        build_inputs(&self.inputs[side], &folder, instrument, deadline)
    }

    /// Does something with a replayer.
    pub fn with<T>(&self, options: ReplayOptions, work: impl FnOnce(&mut Replayer<'_>) -> T) -> T {
        let old = |instrument, deadline| self.make(0, instrument, deadline);
        let new = |instrument, deadline| self.make(1, instrument, deadline);
        let mut replayer = Replayer::new(
            &self.toolchain,
            Side { program: &self.programs[0], make: &old },
            Side { program: &self.programs[1], make: &new },
            options,
        );
        work(&mut replayer)
    }

    /// A request for a function from states that each side makes in its own numbers.
    pub fn request(&self, name: &str, state: impl Fn(&Program) -> EntryState) -> Request {
        let side = |program: &Program| -> (ProcId, EntryState) {
            (program.procedure_named(name).unwrap(), state(program))
        };
        Request { old: side(&self.programs[0]), new: side(&self.programs[1]) }
    }

    /// Replays `f` from a state without globals.
    pub fn replay(&self, entry: EntryState) -> Replayed {
        let request = self.request("f", |_| entry.clone());
        self.with(ReplayOptions::default(), |replayer| replayer.replay(&request))
    }

    /// What the interpreter says of both sides.
    pub fn outcomes(&self, request: &Request) -> [Outcome; 2] {
        let run = |program: &Program, (id, entry): &(ProcId, EntryState)| {
            let limits = ReplayOptions::default().limits;
            verdiff_model::interp::Machine::new(program).run(*id, entry, &limits)
        };
        [run(&self.programs[0], &request.old), run(&self.programs[1], &request.new)]
    }
}

/// A state of plain arguments.
pub fn args(args: &[i64]) -> EntryState {
    let bits = |arg: &i64| Value::Bits(*arg as u64 as u128);
    EntryState { args: args.iter().map(bits).collect(), ..EntryState::default() }
}

/// A state of pointers to the beginnings of objects.
pub fn objects(objects: Vec<Object>) -> EntryState {
    let arg = |index| Value::Pointer(Pointer::object(index as u32));
    EntryState { args: (0..objects.len()).map(arg).collect(), objects, ..EntryState::default() }
}

/// An array of `int`.
pub fn ints(values: &[i32]) -> Object {
    Object::new(4, values.iter().flat_map(|value| value.to_le_bytes()).collect())
}

/// A global with other bytes.
pub fn global(program: &Program, name: &str, bytes: &[u8]) -> (GlobalId, Contents) {
    (program.global_named(name).unwrap(), Contents::from(bytes.to_vec()))
}
