//! Programs that were compiled for replay before.
//!
//! Making an object of bitcode, with a sanitizer above all, takes longer than all else in a run whose judgements are known. What it is made of
//! is at hand: the bitcode itself, the options, clang and LLVM, and this build of verdiff, which adds the wrappers and lowers the program.
//! So the key is the hash of these, contents and not names or times of files, and the entry has the object and what is known about it.
//! That bitcode is the one of the sources is for [`bitcode_cache`](crate::bitcode_cache) to say, with or without this.

use crate::Bitcode;
use crate::bitcode_cache::{compiler, environment};
use crate::callable::{Callable, CallableOptions};
use crate::clang::{Clang, Overflow, with_inline};
use std::path::Path;
use std::sync::Arc;
use verdiff_cache::{Key, Store};

/// How objects are written.
const KIND: &str = "verdiff-callable/1";

/// Where one compiled program is kept.
pub struct KeptCallable {
    store: Arc<Store>,
    key: Key,
}

impl KeptCallable {
    /// Where a program would be kept that is made of this bitcode; `None` if nothing is, or if not all that it is made of can be told.
    pub fn of(
        store: Option<&Arc<Store>>,
        options: &CallableOptions,
        bitcode: &Bitcode,
        overflow: Overflow,
    ) -> Option<KeptCallable> {
        let store = store?.clone();
        let tool = options.tool.as_ref()?;
        let mut key = Key::of(KIND).with(tool.as_bytes()).with(llvm_version().as_bytes());
        key = environment(key.with(compiler(Clang::find().ok()?.path())?.as_bytes()));
        // Where one list ends and the next begins is part of the key.
        for list in [&options.flags, &options.real_externals] {
            key = key.with(&list.len().to_le_bytes());
            key = list.iter().fold(key, |key, word| key.with(word.as_bytes()));
        }
        key = key.with(&[options.as_written.into(), (overflow == Overflow::Wraps).into()]);
        key = key.with(&bitcode.unlinked.len().to_le_bytes());
        key = bitcode.unlinked.iter().fold(key, |key, name| key.with(name.as_bytes()));
        for file in &bitcode.files {
            key = key.with(file.origin.as_os_str().as_encoded_bytes());
            key = key.with(&[file.given.into(), file.database.into()]);
            key = key.with(&std::fs::read(&file.path).ok()?);
            // Without a second file there is nothing in it.
            key = key.with(&std::fs::read(with_inline(&file.path)).unwrap_or_default());
        }
        Some(KeptCallable { store, key: key.done() })
    }

    /// What an earlier run has made; its object is written to `output`.
    pub fn get(&self, output: &Path) -> Option<Callable> {
        let entry = self.store.get(&self.key)?;
        let (length, rest) = entry.split_first_chunk::<8>()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (about, object) = rest.split_at_checked(length)?;
        let callable = serde_json::from_slice(about).ok()?;
        std::fs::write(output, object).ok()?;
        Some(callable)
    }

    /// Keeps what was made.
    pub fn put(&self, callable: &Callable, output: &Path) {
        let Ok(object) = std::fs::read(output) else { return };
        let Ok(about) = serde_json::to_vec(callable) else { return };
        let length = (about.len() as u64).to_le_bytes();
        self.store.put(&self.key, &[&length[..], &about, &object].concat());
    }
}

/// The version of the library that makes objects.
fn llvm_version() -> String {
    let mut version = [0; 3];
    let [major, minor, patch] = &mut version;
    // SAFETY: three numbers to write to.
    unsafe { llvm_sys::core::LLVMGetVersion(major, minor, patch) };
    format!("{version:?}")
}
