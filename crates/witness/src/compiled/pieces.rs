//! The pieces that a program is linked with, and how clang compiles them. The build script has this file, too: it compiles them
//! once for all, and what it made is part of verdiff.

/// One piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// The driver of plain programs.
    Driver,
    /// The driver of programs with a sanitizer.
    Sanitized,
    /// What lies between the driver's data and the program's.
    Fence,
}

impl Piece {
    /// All of them.
    pub const ALL: [Piece; 3] = [Piece::Driver, Piece::Sanitized, Piece::Fence];

    /// The file it is compiled from.
    pub fn source(self) -> &'static str {
        match self {
            Piece::Driver | Piece::Sanitized => "driver.c",
            Piece::Fence => "fence.c",
        }
    }

    /// The file it is compiled to.
    pub fn object(self) -> &'static str {
        match self {
            Piece::Driver => "driver.o",
            Piece::Sanitized => "sanitized.o",
            Piece::Fence => "fence.o",
        }
    }

    /// How.
    pub fn flags(self) -> &'static [&'static str] {
        match self {
            Piece::Driver => &["-O1", "-fno-builtin", "-w"],
            Piece::Sanitized => &["-O1", "-fno-builtin", "-w", "-DVERDIFF_SANITIZED"],
            Piece::Fence => &[],
        }
    }
}

/// All files that they are compiled from, those that others include among them.
pub const SOURCES: [&str; 4] = ["driver.c", "heap.c", "outside.c", "fence.c"];

/// How a plain program is linked: clang's flag, and the file with what clang then calls.
pub const LINKED: [(&str, &str); 2] = [("-no-pie", "link-fixed.txt"), ("-pie", "link-pie.txt")];
/// Stands in it for the object files.
pub const OBJECTS: &str = "verdiff:objects";
/// Stands in it for what is made.
pub const OUTPUT: &str = "verdiff:output";
