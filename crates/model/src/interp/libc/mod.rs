//! The C library, as far as it is emulated: exactly, with every byte checked as a load or store
//! of the program would be.

use super::Observer;
use super::call::Arg;
use super::exec::Exec;
use super::stop::Stop;
use crate::ids::ExternId;
use crate::program::External;

/// A library function.
#[derive(Clone, Copy)]
pub(super) enum Builtin {}

impl Builtin {
    pub(super) fn find(_external: &External) -> Option<Builtin> {
        None
    }
}

impl<O: Observer> Exec<'_, '_, O> {
    pub(super) fn builtin(
        &mut self,
        builtin: Builtin,
        _id: ExternId,
        _args: &[Arg],
    ) -> Result<u128, Stop> {
        match builtin {}
    }
}
