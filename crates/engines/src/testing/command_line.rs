//! Command lines: what `main` is called with.
//!
//! C says how the arguments of `main` look: as many strings as it is told, and null behind them. Options are among the
//! strings of the code. Other states stay possible, since `main` is a function like any other.

use super::search::DifferenceSearch;
use verdiff_model::state::{Contents, EntryState, Link, Object, Pointer, Value};

/// How often, in percent, a new state of `main` has a command line, and how many arguments at most.
const OFTEN: u64 = 60;
const ARGUMENTS: u64 = 4;
/// How often, in percent, an argument is one of the strings that look like options, if there are any.
const OPTION: u64 = 50;
/// How often a string that is none is made one: names of long options are written without dashes.
const DASHES: u64 = 15;
/// Longer strings are messages.
const LONGEST: usize = 40;

impl DifferenceSearch<'_> {
    /// Has a state of `main` begin with a command line.
    pub(super) fn set_command_line(&mut self, entry: &mut EntryState) {
        if !self.is_main || entry.args.len() < 2 || !self.random.chance(OFTEN) {
            return;
        }
        let count = 1 + self.random.below(ARGUMENTS);
        let mut list = Contents::from(vec![0; 8 * (count as usize + 1)]);
        for number in 0..count {
            let string = if number == 0 { b"program\0".to_vec() } else { self.argument() };
            let to = Pointer::object(entry.objects.len() as u32);
            entry.objects.push(Object::new(1, string));
            list.pointers.push(Link { offset: 8 * number, to });
        }
        entry.args[0] = Value::Bits(count.into());
        entry.args[1] = Value::Pointer(Pointer::object(entry.objects.len() as u32));
        entry.objects.push(Object { align: 8, contents: list });
    }

    /// An argument, with the final zero.
    fn argument(&mut self) -> Vec<u8> {
        let short = |string: &&Vec<u8>| (2..=LONGEST).contains(&string.len());
        let strings: Vec<&Vec<u8>> = self.text.strings.iter().filter(short).collect();
        let options: Vec<&Vec<u8>> =
            strings.iter().filter(|s| s.starts_with(b"-")).copied().collect();
        let chosen = match !options.is_empty() && self.random.chance(OPTION) {
            true => self.random.pick(&options),
            false if !self.text.numerals.is_empty() && self.random.chance(OPTION) => {
                let numerals: Vec<&Vec<u8>> = self.text.numerals.iter().collect();
                self.random.pick(&numerals)
            }
            false => self.random.pick(&strings),
        };
        let Some(string) = chosen else { return b"a\0".to_vec() };
        match !string.starts_with(b"-") && self.random.chance(DASHES) {
            true => [&b"--"[..], &string[..]].concat(),
            false => string.clone(),
        }
    }
}
