//! Where results are kept from one run to the next, and `verdiff cache`.

use crate::arguments::{Cache, CacheCommand, CacheOptions};
use anyhow::{Context, bail};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use verdiff_cache::{DEFAULT_LIMIT, Store};

/// The store that the options ask for; none with `--no-cache`, with an empty `VERDIFF_CACHE`, or if there is no place for it.
pub fn open(options: &CacheOptions) -> anyhow::Result<Option<Arc<Store>>> {
    if options.no_cache {
        return Ok(None);
    }
    for layer in &options.cache_from {
        if !layer.is_dir() {
            bail!("--cache-from: {} is not a folder", layer.display());
        }
    }
    let Some(folder) = folder(options.cache.as_deref()) else { return Ok(None) };
    let store = Store::new(folder).reading(options.cache_from.clone()).limited_to(limit()?);
    Ok(Some(Arc::new(store)))
}

/// How large it may become.
fn limit() -> anyhow::Result<u64> {
    let Some(text) = variable("VERDIFF_CACHE_SIZE") else { return Ok(DEFAULT_LIMIT) };
    match text.parse::<u64>() {
        Ok(size) if size > 0 => Ok(size.saturating_mul(1 << 20)),
        _ => bail!("VERDIFF_CACHE_SIZE: must be a number of MiB, not {text}"),
    }
}

/// The folder: the one that is asked for, else the user's.
fn folder(asked: Option<&Path>) -> Option<PathBuf> {
    if let Some(folder) = asked {
        return Some(folder.to_path_buf());
    }
    if let Some(folder) = std::env::var_os("VERDIFF_CACHE") {
        return (!folder.is_empty()).then(|| folder.into());
    }
    // As the XDG base directory specification has it.
    let cache = variable("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || Some(PathBuf::from(variable("HOME")?).join(".cache"));
    Some(cache.or_else(home)?.join("verdiff"))
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// `verdiff cache`.
pub fn run(arguments: &Cache) -> anyhow::Result<u8> {
    let Some(folder) = folder(arguments.cache.as_deref()) else {
        bail!("there is no cache: VERDIFF_CACHE is empty, or there is no home directory");
    };
    let store = Store::new(folder).limited_to(limit()?);
    let place = store.folder().display();
    match arguments.command {
        CacheCommand::Stat => {
            let held = store.statistics();
            println!("{place}");
            println!("{} entries, {} (limit: {})", held.entries, size(held.bytes), size(limit()?));
        }
        CacheCommand::Clear => {
            let before = store.clear().with_context(|| format!("cannot clear {place}"))?;
            println!("{place}: {} entries removed, {}", before.entries, size(before.bytes));
        }
        CacheCommand::Verify => {
            let found = store.verify().with_context(|| format!("cannot repair {place}"))?;
            println!(
                "{place}: {} entries intact, {} damaged and removed",
                found.intact, found.damaged
            );
            return Ok(u8::from(found.damaged > 0));
        }
    }
    Ok(0)
}

/// A number of bytes for people.
fn size(bytes: u64) -> String {
    let units = [("GiB", 1_u64 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    match units.iter().find(|(_, unit)| bytes >= *unit) {
        Some((name, unit)) => format!("{:.1} {name}", bytes as f64 / *unit as f64),
        None => format!("{bytes} bytes"),
    }
}
