//! What is generated from the command line: completion scripts for shells, and manual pages.

use crate::arguments::Arguments;
use crate::compare::print;
use anyhow::Context;
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use std::path::PathBuf;

/// `verdiff completions`.
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell.
    pub shell: Shell,
}

/// `verdiff man`.
#[derive(Debug, Args)]
pub struct Man {
    /// The folder for verdiff.1, verdiff-git.1 and so on [default: verdiff.1 on standard output].
    #[arg(value_name = "DIR")]
    pub folder: Option<PathBuf>,
}

/// Prints a completion script.
pub fn completions(arguments: &Completions) -> anyhow::Result<u8> {
    let mut script = vec![];
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "verdiff", &mut script);
    print(std::io::stdout().lock(), &String::from_utf8_lossy(&script))?;
    Ok(0)
}

/// Writes the manual pages.
pub fn manual(arguments: &Man) -> anyhow::Result<u8> {
    match &arguments.folder {
        None => {
            let mut page = vec![];
            clap_mangen::Man::new(Arguments::command()).render(&mut page)?;
            print(std::io::stdout().lock(), &String::from_utf8_lossy(&page))?;
        }
        Some(folder) => {
            let cannot = || format!("cannot write manual pages to {}", folder.display());
            std::fs::create_dir_all(folder).with_context(cannot)?;
            clap_mangen::generate_to(Arguments::command(), folder).with_context(cannot)?;
        }
    }
    Ok(0)
}
