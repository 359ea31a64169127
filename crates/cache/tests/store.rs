//! What a store promises, whatever happens to its files.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use verdiff_cache::{Key, Statistics, Store, Verified};

fn key(name: &str) -> Key {
    Key::of("test/1").with(name.as_bytes()).done()
}

/// The files of all entries.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let list = |folder: &Path| -> Vec<PathBuf> {
        fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect()
    };
    list(&folder.join("entries")).iter().flat_map(|folder| list(folder)).collect()
}

#[test]
fn a_damaged_entry_is_a_miss_and_is_repaired() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::new(folder.path());
    store.put(&key("a"), b"one");
    store.put(&key("b"), b"two");
    let path = entries(folder.path()).into_iter().find(|p| p.ends_with(key("a").as_str())).unwrap();
    for damage in [&b""[..], b"verdiff-cache/1\n", b"nonsense", &[0; 4096]] {
        fs::write(&path, damage).unwrap();
        assert_eq!(store.get(&key("a")), None);
        assert!(!path.exists(), "what is damaged is removed");
        store.put(&key("a"), b"one");
        assert_eq!(store.get(&key("a")).as_deref(), Some(&b"one"[..]));
    }
    // One that belongs to another key is no entry of this one.
    let other = entries(folder.path()).into_iter().find(|p| *p != path).unwrap();
    fs::copy(&other, &path).unwrap();
    assert_eq!(store.verify().unwrap(), Verified { intact: 1, damaged: 1 });
    assert_eq!(store.verify().unwrap(), Verified { intact: 1, damaged: 0 });
    assert_eq!((store.get(&key("a")), store.hits_and_misses()), (None, (4, 5)));
}

#[test]
fn nothing_that_goes_wrong_with_the_folder_costs_more_than_the_cache() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "no folder").unwrap();
    // A folder that cannot be made, and one below a file.
    for place in [file.clone(), file.join("below"), PathBuf::from("/proc/none")] {
        let store = Store::new(&place);
        store.put(&key("a"), b"one");
        assert_eq!(store.get(&key("a")), None);
        store.trim();
        store.forget(&key("a"));
        assert_eq!(store.statistics(), Statistics::default());
    }
    // Folders where files should be.
    let store = Store::new(folder.path());
    store.put(&key("a"), b"one");
    let path = entries(folder.path()).pop().unwrap();
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    store.put(&key("a"), b"one");
    assert_eq!(store.get(&key("a")), None);
    assert_eq!(store.verify().unwrap(), Verified::default());
}

#[test]
fn what_was_not_used_for_longest_goes_first() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::new(folder.path()).limited_to(10_000);
    let names: Vec<String> = (0..9).map(|n| n.to_string()).collect();
    for name in &names {
        store.put(&key(name), &[0; 1000]);
    }
    // All of them are old, and "0" was used since.
    for path in entries(folder.path()) {
        let number = names.iter().position(|n| path.ends_with(key(n).as_str())).unwrap() as u64;
        let used = SystemTime::now() - Duration::from_secs(100_000 - number);
        fs::File::options().append(true).open(&path).unwrap().set_modified(used).unwrap();
    }
    assert!(store.get(&key("0")).is_some());
    store.trim();
    assert_eq!(store.statistics().entries, 9, "there is room for all");
    store.put(&key("9"), &[0; 1000]);
    store.trim();
    let left: Vec<&String> = names.iter().filter(|n| store.get(&key(n)).is_some()).collect();
    assert!(left.contains(&&names[0]) && left.len() == 6, "{left:?}");
    assert_eq!(left[1..], names[4..].iter().collect::<Vec<_>>());
    assert!(store.get(&key("9")).is_some());
    // The number that is kept is the real one, and nonsense in its place is put right.
    let kept = |folder: &Path| fs::read_to_string(folder.join("size")).unwrap();
    assert_eq!(kept(folder.path()), store.statistics().bytes.to_string());
    fs::write(folder.path().join("size"), "many").unwrap();
    store.put(&key("10"), b"");
    store.trim();
    assert_eq!(kept(folder.path()), store.statistics().bytes.to_string());
}

#[test]
fn layers_are_read_and_never_written() {
    let (shared, own) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    Store::new(shared.path()).put(&key("a"), b"one");
    let store = Store::new(own.path()).reading(vec![own.path().join("none"), shared.path().into()]);
    assert_eq!(store.get(&key("a")).as_deref(), Some(&b"one"[..]));
    store.put(&key("b"), b"two");
    store.forget(&key("a"));
    assert_eq!(Store::new(shared.path()).statistics().entries, 1);
    // Damage in a layer is a miss there, and is left to its owner.
    let path = entries(shared.path()).pop().unwrap();
    fs::write(&path, "damaged").unwrap();
    assert_eq!(store.get(&key("a")), None);
    assert!(path.exists());
}

#[test]
fn many_at_once_never_see_a_part_of_an_entry() {
    let folder = tempfile::tempdir().unwrap();
    let contents = |n: usize| vec![n as u8; 100_000 + n];
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let path = folder.path();
            scope.spawn(move || {
                let store = Store::new(path).limited_to(600_000);
                for round in 0..40 {
                    let n = (round * 7 + thread) % 10;
                    if let Some(found) = store.get(&key(&n.to_string())) {
                        assert_eq!(found, contents(n));
                    }
                    store.put(&key(&n.to_string()), &contents(n));
                    store.trim();
                }
            });
        }
    });
    let store = Store::new(folder.path()).limited_to(600_000);
    assert_eq!(store.verify().unwrap().damaged, 0);
}

#[test]
fn clearing_leaves_nothing_and_can_be_done_twice() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::new(folder.path());
    store.put(&key("a"), b"one");
    store.trim();
    assert_eq!(store.clear().unwrap().entries, 1);
    assert_eq!(store.clear().unwrap(), Statistics::default());
    assert_eq!(store.get(&key("a")), None);
}
