//! HTML reports in a browser: their tests with axe-core, and pages opened for pictures and figures.

use crate::process::{cargo, output, program, run, target};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// axe-core checks accessibility. Its licence is not ours, so it is fetched and not kept in the repository.
const AXE: &str = "axe-core@4.14.0";
/// How the tests find it, too.
const AXE_FILE: &str = "browser/axe.min.js";

/// Runs the browser tests of the HTML report; neither the browser nor axe-core may be missing.
pub fn test() -> Result<()> {
    let (chromium, axe) = (chromium()?, axe()?);
    let arguments = ["test", "-p", "verdiff-report", "--test", "report", "browser::"];
    run(cargo(&arguments).env("VERDIFF_CHROMIUM", chromium).env("VERDIFF_AXE", axe))
}

/// Chromium: the program in `VERDIFF_CHROMIUM`, or one in the path.
pub fn chromium() -> Result<PathBuf> {
    if let Some(named) = std::env::var_os("VERDIFF_CHROMIUM") {
        return Ok(PathBuf::from(named));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path);
    let names = ["chromium", "chromium-browser", "google-chrome"];
    folders
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|file| file.is_file())
        .context(
            "no Chromium: install Debian's `chromium`, or name the program in VERDIFF_CHROMIUM",
        )
}

/// The file of axe-core; npm fetches it the first time.
fn axe() -> Result<PathBuf> {
    let file = target().join(AXE_FILE);
    if !file.is_file() {
        let folder = tempfile::tempdir()?;
        let packed = output(program("npm", &["pack", "--silent", AXE]).current_dir(&folder))
            .context("axe-core comes from the npm registry")?;
        let name = packed.trim().lines().next_back().unwrap_or_default().to_owned();
        run(program("tar", &["xzf", &name]).current_dir(&folder))?;
        std::fs::create_dir_all(target().join("browser"))?;
        std::fs::copy(folder.path().join("package/axe.min.js"), &file)
            .with_context(|| format!("{AXE} has no axe.min.js"))?;
    }
    Ok(file)
}

/// A browser without a window, with a profile of its own in this folder.
pub fn headless(folder: &Path) -> Result<Command> {
    let mut command = Command::new(chromium()?);
    command.args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]);
    command.args(["--hide-scrollbars", "--no-first-run"]);
    command.arg(format!("--user-data-dir={}", folder.join("profile").display()));
    command.stdin(Stdio::null()).stderr(Stdio::null());
    Ok(command)
}

/// Opens a page at a fragment of its address, and gives what a script at its end evaluates to.
pub fn evaluated(page: &str, fragment: &str, script: &str, width: u32) -> Result<String> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("page.html");
    let told = format!(
        "<script>document.body.dataset.told = String((() => {{ {script} }})());</script></body>"
    );
    std::fs::write(&file, page.replace("</body>", &told))?;
    let mut command = headless(folder.path())?;
    command.arg(format!("--window-size={width},900")).arg("--dump-dom");
    let shown = command.arg(format!("file://{}#{fragment}", file.display())).output()?;
    let shown = String::from_utf8_lossy(&shown.stdout);
    let told = shown.split_once("data-told=\"").and_then(|(_, rest)| rest.split_once('"'));
    match told {
        Some((value, _)) => Ok(value.to_owned()),
        None => bail!("the page could not be opened in Chromium"),
    }
}
