//! `cargo xtask package`: the Debian package, with what the program generates: manual pages and completions.

use crate::process::{cargo, probe, program, root, run, target};
use anyhow::{Context, Result, bail};

/// The shells that a package has completions for.
const SHELLS: [&str; 3] = ["bash", "zsh", "fish"];

/// Builds the package from a release build, or from a build for development, to try out how it is made.
pub fn debian(release: bool) -> Result<()> {
    if probe("cargo-deb", &["--version"]).is_none() {
        bail!("the package needs cargo-deb: `cargo install cargo-deb` installs it");
    }
    let (folder, profile) = if release { ("release", "release") } else { ("debug", "dev") };
    run(&mut cargo(&["build", "-p", "verdiff-cli", "--profile", profile]))?;
    let verdiff = target().join(folder).join("verdiff");
    let verdiff = verdiff.to_str().context("the path of the program is not valid UTF-8")?;
    // Where the manifest of the package looks for them.
    let generated = root().join("target/package");
    if generated.exists() {
        std::fs::remove_dir_all(&generated).context("cannot remove the old files")?;
    }
    let manual = generated.join("man");
    std::fs::create_dir_all(&manual).context("cannot make target/package")?;
    run(program(verdiff, &["man"]).arg(&manual))?;
    for shell in SHELLS {
        let script = probe(verdiff, &["completions", shell])
            .with_context(|| format!("verdiff has no completions for {shell}"))?;
        std::fs::write(generated.join(format!("verdiff.{shell}")), script)?;
    }
    run(&mut cargo(&["deb", "-p", "verdiff-cli", "--no-build", "--profile", profile]))
}
