//! The knowledge file is sound in form, and says what it should of some functions.

use verdiff_symex::libc::{
    Ends, Extent, Hidden, KnowledgeError, Model, PrototypeError, Returns, StoredTarget, Touch,
    Which, Written, knowledge, known, parse,
};

#[test]
fn the_file_parses_and_is_not_small() {
    let knowledge = knowledge();
    assert!(knowledge.len() > 250, "{}", knowledge.len());
    for function in knowledge.iter() {
        assert_eq!(known(&function.name).map(|k| &k.name), Some(&function.name));
        assert_eq!(function.prototype.name, function.name);
    }
    assert!(known("no_such_function").is_none());
}

#[test]
fn names_are_unique_across_headers() {
    let text = include_str!("../../src/libc/libc.toml");
    let mut names: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(" = {").map(|(name, _)| name))
        .collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
    assert_eq!(knowledge().len(), count);
}

#[test]
fn key_examples() {
    let get = |name: &str| known(name).unwrap_or_else(|| panic!("{name} is not listed"));
    let memcpy = get("memcpy");
    assert_eq!(memcpy.reads, [Touch { which: Which::Param(1), extent: Extent::Param(2) }]);
    assert_eq!(memcpy.writes, [Touch { which: Which::Param(0), extent: Extent::Param(2) }]);
    assert_eq!(memcpy.written, Written::Params(vec![1]));
    assert_eq!(memcpy.returns, Returns::Param(0));
    assert_eq!(memcpy.model, Some(Model::Memcpy));
    assert!(memcpy.keeps.is_empty() && !memcpy.world && !memcpy.is_pure());
    assert!(get("abs").is_pure());
    assert_eq!(get("realloc").returns, Returns::FreshOr(0));
    assert_eq!(get("realloc").frees, Some(0));
    assert!(get("malloc").allocates && get("malloc").errno);
    assert_eq!(get("strtol").stores, [(1, StoredTarget::Param(0))]);
    assert_eq!(get("posix_memalign").stores, [(0, StoredTarget::Fresh)]);
    assert_eq!(get("exit").ends, Ends::Never);
    assert_eq!(get("qsort").calls_back, [3]);
    assert_eq!(get("isalpha").hidden, Hidden::Reads);
    assert_eq!(get("putenv").keeps, [Which::Param(0)]);
    let product = Touch { which: Which::Param(0), extent: Extent::Product(1, 2) };
    assert!(get("fread").writes.contains(&product));
    assert_eq!(get("printf").format, Some(0));
    assert_eq!(
        get("strncmp").reads,
        [
            Touch { which: Which::Param(0), extent: Extent::StringAtMost(2) },
            Touch { which: Which::Param(1), extent: Extent::StringAtMost(2) },
        ]
    );
}

#[test]
fn wrong_files_are_refused() {
    let error = |text: &str| parse(text).unwrap_err();
    assert!(matches!(error("[string"), KnowledgeError::Syntax(_)));
    assert!(matches!(
        error("[s]\nf = { c = \"void f(void)\", colour = 3 }"),
        KnowledgeError::Syntax(_)
    ));
    assert!(matches!(
        error("[s]\nf = { c = \"void f(void)\", world = true, model = \"quux\" }"),
        KnowledgeError::Syntax(_)
    ));
    assert!(matches!(
        error("[s]\nf = { c = \"void f(void\", world = true }"),
        KnowledgeError::Prototype { source: PrototypeError::Shape(_), .. }
    ));
    assert_eq!(
        error("[s]\nf = { c = \"void g(void)\", world = true }"),
        KnowledgeError::OtherName { function: "f".into(), declared: "g".into() }
    );
    assert_eq!(
        error(
            "[s]\nf = { c = \"int f(int n)\", pure = true }\n[t]\nf = { c = \"int f(int n)\", pure = true }"
        ),
        KnowledgeError::Duplicate { function: "f".into(), first: "s".into(), second: "t".into() }
    );
    assert_eq!(
        error("[s]\nf = { c = \"int f(void *p)\", reads = { q = \"any\" } }"),
        KnowledgeError::BadValue { function: "f".into(), field: "reads", text: "q".into() }
    );
    assert_eq!(
        error("[s]\nf = { c = \"int f(void *p)\", reads = { p = \"m * n\" } }").to_string(),
        "f: reads: `m ` is neither a parameter nor anything else known here"
    );
    let pure = KnowledgeError::Pure { function: "f".into() };
    assert_eq!(error("[s]\nf = { c = \"int f(int n)\" }"), pure);
    assert_eq!(error("[s]\nf = { c = \"int f(int n)\", pure = true, world = true }"), pure);
    assert!(matches!(
        error("[s]\nf = { c = \"int f(int n)\", writes = { \"...\" = \"any\" } }"),
        KnowledgeError::BadValue { field: "writes", .. }
    ));
}
