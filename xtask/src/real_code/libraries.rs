//! Which libraries, from which crates, compiled how.
//!
//! Files and flags are those of the crates' own build scripts, so that what is measured is
//! what people use.

/// A C library within a crate.
pub struct Library {
    /// Its name, and that of its folder.
    pub name: &'static str,
    /// The crate that carries it.
    pub package: &'static str,
    /// The version, exactly: figures of two runs must be about the same code.
    pub version: &'static str,
    /// Where in the crate the C code is.
    pub folder: &'static str,
    /// Folders in it (`""` for itself) whose C files are compiled.
    pub parts: &'static [&'static str],
    /// C files that are not part of the library.
    pub without: &'static [&'static str],
    /// Flags for clang.
    pub flags: &'static [&'static str],
    /// At least how many functions there must be, so that a wrong set of flags is noticed.
    pub functions: usize,
}

/// The libraries, small ones first.
pub const LIBRARIES: &[Library] = &[
    Library {
        name: "bzip2",
        package: "bzip2-sys",
        version: "0.1.13+1.0.8",
        folder: "bzip2-1.0.8",
        parts: &[""],
        // Programs, not the library.
        without: &["bzip2.c", "bzip2recover.c", "dlltest.c", "mk251.c", "spewG.c", "unzcrash.c"],
        flags: &["-D_FILE_OFFSET_BITS=64", "-DBZ_NO_STDIO"],
        functions: 30,
    },
    Library {
        name: "zlib",
        package: "libz-sys",
        version: "1.1.31",
        folder: "src/zlib",
        parts: &[""],
        without: &[],
        flags: &["-DSTDC", "-D_LARGEFILE64_SOURCE", "-DHAVE_UNISTD_H", "-DHAVE_STDARG_H"],
        functions: 100,
    },
    Library {
        name: "lz4",
        package: "lz4-sys",
        version: "1.11.1+lz4-1.10.0",
        folder: "liblz4/lib",
        parts: &[""],
        without: &["lz4file.c"],
        flags: &[],
        functions: 200,
    },
    Library {
        name: "zstd",
        package: "zstd-sys",
        version: "2.1.2+zstd.1.5.7",
        folder: "zstd/lib",
        parts: &["common", "compress", "decompress", "dictBuilder", "legacy"],
        // With XXH_PRIVATE_API the headers have it.
        without: &["xxhash.c"],
        flags: &[
            "-DZSTD_LIB_DEPRECATED=0",
            "-DXXH_PRIVATE_API=",
            "-DZSTDLIB_VISIBILITY=",
            "-DZDICTLIB_VISIBILITY=",
            "-DZSTDERRORLIB_VISIBILITY=",
            "-DZSTD_LEGACY_SUPPORT=1",
            // Its one assembly file has a twin in C: that is the one to look at.
            "-DZSTD_DISABLE_ASM",
        ],
        functions: 1500,
    },
    Library {
        name: "sqlite",
        package: "libsqlite3-sys",
        version: "0.30.1",
        folder: "sqlite3",
        parts: &[""],
        without: &["wasm32-wasi-vfs.c"],
        // The features `bundled`, `preupdate_hook`, `session` and `unlock_notify`.
        flags: &[
            "-DSQLITE_CORE",
            "-DSQLITE_DEFAULT_FOREIGN_KEYS=1",
            "-DSQLITE_ENABLE_API_ARMOR",
            "-DSQLITE_ENABLE_COLUMN_METADATA",
            "-DSQLITE_ENABLE_DBSTAT_VTAB",
            "-DSQLITE_ENABLE_FTS3",
            "-DSQLITE_ENABLE_FTS3_PARENTHESIS",
            "-DSQLITE_ENABLE_FTS5",
            "-DSQLITE_ENABLE_JSON1",
            "-DSQLITE_ENABLE_LOAD_EXTENSION=1",
            "-DSQLITE_ENABLE_MEMORY_MANAGEMENT",
            "-DSQLITE_ENABLE_PREUPDATE_HOOK",
            "-DSQLITE_ENABLE_RTREE",
            "-DSQLITE_ENABLE_SESSION",
            "-DSQLITE_ENABLE_STAT4",
            "-DSQLITE_ENABLE_UNLOCK_NOTIFY",
            "-DSQLITE_SOUNDEX",
            "-DSQLITE_THREADSAFE=1",
            "-DSQLITE_USE_URI",
            "-DHAVE_USLEEP=1",
            "-DHAVE_ISNAN",
            "-DHAVE_LOCALTIME_R",
            "-D_POSIX_THREAD_SAFE_FUNCTIONS",
        ],
        functions: 2600,
    },
];
