//! File URIs.

use std::path::{Path, PathBuf};

/// The file that a URI names; `None` if it is none.
pub fn path(uri: &str) -> Option<PathBuf> {
    let encoded = uri.strip_prefix("file://")?;
    // Behind the slashes may stand the name of this machine.
    let encoded = &encoded[encoded.find('/')?..];
    let mut bytes = vec![];
    let mut rest = encoded.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [rest.next()?, rest.next()?];
        bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
    }
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

/// The URI of a file.
pub fn of(path: &Path) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte);
    let mut uri = "file://".to_owned();
    for byte in path.to_string_lossy().bytes() {
        match plain(byte) {
            true => uri.push(char::from(byte)),
            false => uri += &format!("%{byte:02X}"),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_survive() {
        for name in ["/tmp/a.c", "/tmp/a b/ü%.c", "/tmp/a+b#1.c"] {
            assert_eq!(path(&of(Path::new(name))).as_deref(), Some(Path::new(name)));
        }
        assert_eq!(path("file://localhost/a%20b.c"), Some("/a b.c".into()));
        assert_eq!(path("untitled:Untitled-1"), None);
        assert_eq!(path("file:///a%2"), None);
    }
}
