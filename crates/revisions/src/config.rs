//! A configuration header made from its template, for projects that were not configured.
//!
//! Both revisions get the same answers, so a comparison is one of two configured programs, though not of the user's configuration; the
//! report says so. Headers are asked for by `__has_include`, sizes by the compiler's own macros. Functions and types that every Linux has are
//! there; of other functions and of libraries nothing is known, so they count as missing.

use std::fmt::Write;

/// The header that a template of autoconf or cmake stands for.
pub fn from_template(template: &str) -> String {
    let mut header = String::new();
    for line in template.lines() {
        let directive = line.trim_start();
        let rest =
            |word: &str| Some(directive.strip_prefix('#')?.trim_start().strip_prefix(word)?.trim());
        if let Some(name) = rest("undef ").or_else(|| rest("mesondefine ")) {
            define(&mut header, first(name), None);
        } else if let Some(name) = rest("cmakedefine01 ") {
            let _ = writeln!(header, "#define {} 0", first(name));
        } else if let Some(name) = rest("cmakedefine ") {
            let value = name.split_once(char::is_whitespace).map(|(_, value)| value.trim());
            define(&mut header, first(name), value.filter(|value| !value.contains(['@', '$'])));
        } else {
            let _ = writeln!(header, "{}", substituted(line));
        }
    }
    header
}

fn first(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default()
}

/// Defines a macro if its name says what it is about.
fn define(header: &mut String, name: &str, value: Option<&str>) {
    let value = value.unwrap_or("1");
    if let Some(file) = name.strip_prefix("HAVE_").and_then(|n| n.strip_suffix("_H")) {
        let file = header_name(file);
        let _ = writeln!(header, "#if __has_include(<{file}>)\n#define {name} {value}\n#endif");
    } else if let Some(ty) = name.strip_prefix("SIZEOF_") {
        let size = match ty {
            "VOID_P" | "VOIDP" => "__SIZEOF_POINTER__".to_owned(),
            "CHAR" => "1".to_owned(),
            "OFF_T" | "TIME_T" => "8".to_owned(),
            other => format!("__SIZEOF_{other}__"),
        };
        let _ = writeln!(header, "#define {name} {size}");
    } else if name.strip_prefix("HAVE_").is_some_and(is_everywhere)
        || matches!(name, "STDC_HEADERS" | "_GNU_SOURCE")
    {
        let _ = writeln!(header, "#define {name} 1");
    } else if ["PACKAGE", "VERSION"].contains(&name) || name.starts_with("PACKAGE_") {
        let _ = writeln!(header, "#define {name} \"0\"");
    } else {
        let _ = writeln!(header, "/* not known: {name} */");
    }
}

/// Whether every Linux has a function or type of this name.
fn is_everywhere(name: &str) -> bool {
    const NAMES: [&str; 44] = [
        "ALLOCA",
        "ATEXIT",
        "CLOSE",
        "CLOCK_GETTIME",
        "DUP2",
        "FORK",
        "FSEEKO",
        "GETCWD",
        "GETENV",
        "GETENTROPY",
        "GETOPT_LONG",
        "GETPAGESIZE",
        "GETPID",
        "GETRANDOM",
        "GETTIMEOFDAY",
        "GMTIME_R",
        "ISATTY",
        "LOCALTIME_R",
        "LONG_LONG",
        "LSTAT",
        "MEMCHR",
        "MEMMOVE",
        "MEMSET",
        "MKTIME",
        "MMAP",
        "NANOSLEEP",
        "OPEN",
        "POLL",
        "READ",
        "REALPATH",
        "SCHED_YIELD",
        "SELECT",
        "SETENV",
        "SETLOCALE",
        "SNPRINTF",
        "STRCASECMP",
        "STRCHR",
        "STRDUP",
        "STRERROR",
        "STRNDUP",
        "STRTOL",
        "STRTOLL",
        "TIMEGM",
        "VSNPRINTF",
    ];
    const TYPES: [&str; 12] = [
        "INT8_T",
        "INT16_T",
        "INT32_T",
        "INT64_T",
        "UINT8_T",
        "UINT16_T",
        "UINT32_T",
        "UINT64_T",
        "SSIZE_T",
        "SIZE_T",
        "PTRDIFF_T",
        "UINTPTR_T",
    ];
    NAMES.contains(&name) || TYPES.contains(&name)
}

/// `SYS_TYPES` becomes `sys/types.h`.
fn header_name(name: &str) -> String {
    const FOLDERS: [&str; 6] = ["sys", "netinet", "arpa", "net", "linux", "machine"];
    let name = name.to_lowercase();
    match name.split_once('_') {
        Some((folder, rest)) if FOLDERS.contains(&folder) => format!("{folder}/{rest}.h"),
        _ => format!("{name}.h"),
    }
}

/// A line with `@VARIABLE@` and `${VARIABLE}` as zero.
fn substituted(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    loop {
        let at = rest.find('@').map(|start| (start, "@", "@"));
        let brace = rest.find("${").map(|start| (start, "${", "}"));
        let Some((start, open, close)) = [at, brace].into_iter().flatten().min() else { break };
        let after = &rest[start + open.len()..];
        let name = after.find(close).map(|end| (&after[..end], &after[end + close.len()..]));
        match name {
            Some((name, behind))
                if name.chars().all(|c| c.is_alphanumeric() || c == '_') && !name.is_empty() =>
            {
                text.push_str(&rest[..start]);
                text.push('0');
                rest = behind;
            }
            _ => {
                text.push_str(&rest[..start + open.len()]);
                rest = after;
            }
        }
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_autoconf_template_asks_for_headers_and_sizes() {
        let header = from_template(
            "/* x */\n#undef HAVE_SYS_TIME_H\n#undef SIZEOF_LONG\n#undef HAVE_STRLCPY\n",
        );
        assert_eq!(
            header,
            "/* x */\n#if __has_include(<sys/time.h>)\n#define HAVE_SYS_TIME_H 1\n#endif\n\
             #define SIZEOF_LONG __SIZEOF_LONG__\n/* not known: HAVE_STRLCPY */\n"
        );
    }

    #[test]
    fn a_cmake_template_has_its_variables_as_zero() {
        let header = from_template(
            "#cmakedefine HAVE_FCNTL_H 1\n#cmakedefine01 FAST\n#define MAJOR @V_MAJOR@\n#define MAIL \"a@b.c\" ${X}\n",
        );
        assert_eq!(
            header,
            "#if __has_include(<fcntl.h>)\n#define HAVE_FCNTL_H 1\n#endif\n#define FAST 0\n\
             #define MAJOR 0\n#define MAIL \"a@b.c\" 0\n"
        );
    }
}
