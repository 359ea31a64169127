//! A configuration header made from its template, for projects that were not configured.
//!
//! Both revisions get the same answers, so a comparison is one of two configured programs, though not of the user's configuration; the
//! report says so. Headers are asked for by `__has_include`, sizes by the compiler's own macros, functions by linking
//! ([`c_library`](crate::c_library)). Of libraries nothing is known, so they count as missing.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The header that a template of autoconf, cmake or meson stands for, given which functions there are and which lines the
/// project itself gives for variables ([`lines_of_variables`]).
pub fn from_template(
    template: &str,
    functions: &BTreeSet<&str>,
    lines: &BTreeMap<String, String>,
) -> String {
    let mut header = String::new();
    for line in template.lines() {
        let known = line.trim().strip_prefix('@').and_then(|rest| rest.strip_suffix('@'));
        match (Setting::of(line), known.and_then(|name| lines.get(name))) {
            (Some(setting), _) => setting.define(&mut header, functions),
            (None, known) => {
                let known = known.cloned();
                let _ = writeln!(header, "{}", known.unwrap_or_else(|| substituted(line)));
            }
        }
    }
    header
}

/// The variables that a `CMakeLists.txt` sets to an `#include` of a header, with the line and the header's name: a public header that
/// includes one header for each part of a library that is built. Which parts are built is a choice of the user's; without
/// a choice it is all of them.
pub fn lines_of_variables(text: &str) -> Vec<(String, String, String)> {
    let setting = |line: &str| {
        let inside = line.trim().strip_prefix("set(")?.strip_suffix(')')?;
        let (name, value) = inside.trim().split_once(char::is_whitespace)?;
        let value = value.trim().strip_prefix('"')?.strip_suffix('"')?.replace("\\\"", "\"");
        let header = value.strip_prefix("#include")?.trim().strip_prefix('"')?.strip_suffix('"')?;
        let plain = !header.is_empty() && !header.contains(['"', '$', '@', '\n']);
        plain.then(|| (name.to_owned(), value.clone(), header.to_owned()))
    };
    text.lines().filter_map(setting).collect()
}

/// The names of the functions that a template asks for.
pub fn functions_asked_for(template: &str) -> BTreeSet<String> {
    let settings = template.lines().filter_map(Setting::of);
    let is_function = |asked: &Asked| matches!(asked, Asked::Function(_) | Asked::Declaration(_));
    let name = |asked: Asked| match asked {
        Asked::Function(name) | Asked::Declaration(name) => Some(name),
        _ => None,
    };
    settings.map(|setting| setting.asked()).filter(is_function).filter_map(name).collect()
}

/// The header that cmake's `GenerateExportHeader` makes under this name, if it is such a name: macros for symbols of a
/// shared library, which mean nothing here.
pub fn export_header(name: &str) -> Option<String> {
    let last = name.rsplit('/').next()?;
    let of = last.strip_suffix("_export.h").or_else(|| last.strip_suffix("_exports.h"))?;
    let of = of.to_uppercase().replace(['-', '.'], "_");
    let is_name = of.chars().all(|c| c.is_alphanumeric() || c == '_') && !of.is_empty();
    let endings =
        ["EXPORT", "NO_EXPORT", "DEPRECATED", "DEPRECATED_EXPORT", "DEPRECATED_NO_EXPORT"];
    is_name.then(|| endings.map(|ending| format!("#define {of}_{ending}\n")).concat())
}

/// A line of a template that a configure run replaces by a definition, or by none.
struct Setting<'t> {
    /// The macro.
    name: &'t str,
    /// What it is if it is defined.
    value: &'t str,
    /// Whether it is defined as zero otherwise.
    is_number: bool,
}

/// What a macro is about, by its name.
enum Asked {
    Header(String),
    Function(String),
    /// Whether something is declared, as 1 or 0.
    Declaration(String),
    Size(String),
    Type,
    Package,
    Standard,
    Unknown,
}

impl<'t> Setting<'t> {
    fn of(line: &'t str) -> Option<Setting<'t>> {
        let directive = line.trim_start().strip_prefix('#')?.trim_start();
        let (word, rest) = directive.split_once(char::is_whitespace)?;
        let mut words = rest.trim().splitn(2, char::is_whitespace);
        let (name, value) = (words.next().filter(|name| !name.is_empty())?, words.next());
        let value = value.map(str::trim).filter(|v| !v.is_empty() && !v.contains(['@', '$']));
        let value = match word {
            "undef" | "mesondefine" | "cmakedefine01" => "1",
            "cmakedefine" => value.unwrap_or("1"),
            _ => return None,
        };
        Some(Setting { name, value, is_number: word == "cmakedefine01" })
    }

    fn asked(&self) -> Asked {
        // Some projects put their own name in front.
        let have = match self.name.strip_prefix("HAVE_") {
            Some(rest) => Some(rest),
            None => self.name.split_once("_HAVE_").map(|(_, rest)| rest),
        };
        if let Some(ty) = self.name.strip_prefix("SIZEOF_") {
            return Asked::Size(ty.to_owned());
        }
        let Some(asked) = have else {
            let is_package =
                ["PACKAGE", "VERSION"].contains(&self.name) || self.name.starts_with("PACKAGE_");
            let is_standard = matches!(self.name, "STDC_HEADERS" | "_GNU_SOURCE");
            return match (is_package, is_standard) {
                (true, _) => Asked::Package,
                (_, true) => Asked::Standard,
                _ => Asked::Unknown,
            };
        };
        if let Some(file) = asked.strip_suffix("_H") {
            return Asked::Header(header_name(file));
        }
        if TYPES.contains(&asked) {
            return Asked::Type;
        }
        let is_name = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        match asked.strip_prefix("DECL_") {
            Some(name) if is_name(name) => Asked::Declaration(name.to_lowercase()),
            None if is_name(asked) => Asked::Function(asked.to_lowercase()),
            _ => Asked::Unknown,
        }
    }

    fn define(&self, header: &mut String, functions: &BTreeSet<&str>) {
        let Setting { name, value, is_number } = self;
        let asked = self.asked();
        let otherwise = match *is_number || matches!(asked, Asked::Declaration(_)) {
            true => format!("#define {name} 0"),
            false => format!("/* not known: {name} */"),
        };
        let yes = match asked {
            Asked::Header(file) => {
                let _ = writeln!(
                    header,
                    "#if __has_include(<{file}>)\n#define {name} {value}\n#else\n{otherwise}\n#endif"
                );
                return;
            }
            Asked::Size(ty) => {
                let _ = writeln!(header, "#define {name} {}", size_of(&ty));
                return;
            }
            Asked::Package => {
                let _ = writeln!(header, "#define {name} \"0\"");
                return;
            }
            Asked::Function(function) => functions.contains(function.as_str()),
            Asked::Declaration(function) => {
                functions.contains(function.as_str()) || MACROS.contains(&function.as_str())
            }
            Asked::Type | Asked::Standard => true,
            Asked::Unknown => false,
        };
        let _ = match yes {
            true => writeln!(header, "#define {name} {value}"),
            false => writeln!(header, "{otherwise}"),
        };
    }
}

/// Types that every Linux has.
const TYPES: [&str; 13] = [
    "INT8_T",
    "INT16_T",
    "INT32_T",
    "INT64_T",
    "UINT8_T",
    "UINT16_T",
    "UINT32_T",
    "UINT64_T",
    "LONG_LONG",
    "SSIZE_T",
    "SIZE_T",
    "PTRDIFF_T",
    "UINTPTR_T",
];

/// Declared by standard headers, though no function has the name.
const MACROS: [&str; 7] = ["infinity", "isfinite", "isinf", "isnan", "nan", "signbit", "va_copy"];

fn size_of(ty: &str) -> String {
    match ty {
        "VOID_P" | "VOIDP" => "__SIZEOF_POINTER__".to_owned(),
        "SSIZE_T" => "__SIZEOF_SIZE_T__".to_owned(),
        "CHAR" | "INT8_T" | "UINT8_T" => "1".to_owned(),
        "INT16_T" | "UINT16_T" => "2".to_owned(),
        "INT32_T" | "UINT32_T" => "4".to_owned(),
        "OFF_T" | "TIME_T" | "INT64_T" | "UINT64_T" => "8".to_owned(),
        // Types of other systems.
        other if other.starts_with('_') => "0".to_owned(),
        other => format!("__SIZEOF_{other}__"),
    }
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

/// A line with `@VARIABLE@` and `${VARIABLE}` as zero. A line that is nothing but a variable may be any code, and is left out; so
/// is a definition of a function or keyword (`#define strtoll @MINE@`), which is there under its own name.
fn substituted(line: &str) -> String {
    let is_variable = |text: &str| {
        let inside = text.strip_prefix('@').and_then(|rest| rest.strip_suffix('@'));
        inside.is_some_and(|name| !name.contains('@'))
    };
    let mut words = line.trim().strip_prefix("#define ").unwrap_or_default().split_whitespace();
    let is_lower = |name: &str| !name.contains(|c: char| c.is_ascii_uppercase() || c == '(');
    let redefines = words.next().is_some_and(is_lower) && words.next().is_some_and(is_variable);
    if is_variable(line.trim()) || redefines {
        return String::new();
    }
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

    fn made(template: &str) -> String {
        from_template(template, &BTreeSet::from(["strdup", "setlocale"]), &BTreeMap::new())
    }

    #[test]
    fn an_autoconf_template_asks_for_headers_sizes_and_functions() {
        let header = made(
            "/* x */\n#undef HAVE_SYS_TIME_H\n#undef SIZEOF_LONG\n#undef HAVE_STRLCPY\n#undef HAVE_STRDUP\n",
        );
        assert_eq!(
            header,
            "/* x */\n#if __has_include(<sys/time.h>)\n#define HAVE_SYS_TIME_H 1\n#else\n\
             /* not known: HAVE_SYS_TIME_H */\n#endif\n#define SIZEOF_LONG __SIZEOF_LONG__\n\
             /* not known: HAVE_STRLCPY */\n#define HAVE_STRDUP 1\n"
        );
        let asked =
            functions_asked_for("#undef HAVE_STRLCPY\n#undef HAVE_X_H\n#undef HAVE_DECL_NAN\n");
        assert_eq!(asked, BTreeSet::from(["nan".to_owned(), "strlcpy".to_owned()]));
    }

    #[test]
    fn a_declaration_is_one_or_zero() {
        let header =
            made("#undef HAVE_DECL_ISNAN\n#undef HAVE_DECL_STRDUP\n#undef HAVE_DECL__ISNAN\n");
        assert_eq!(
            header,
            "#define HAVE_DECL_ISNAN 1\n#define HAVE_DECL_STRDUP 1\n#define HAVE_DECL__ISNAN 0\n"
        );
    }

    #[test]
    fn a_cmake_template_has_its_variables_as_zero() {
        let header = made(
            "#cmakedefine HAVE_FCNTL_H 1\n#cmakedefine01 FAST\n#define MAJOR @V_MAJOR@\n#define MAIL \"a@b.c\" ${X}\n",
        );
        assert_eq!(
            header,
            "#if __has_include(<fcntl.h>)\n#define HAVE_FCNTL_H 1\n#else\n/* not known: HAVE_FCNTL_H */\n#endif\n\
             #define FAST 0\n#define MAJOR 0\n#define MAIL \"a@b.c\" 0\n"
        );
    }

    #[test]
    fn code_that_only_a_configure_run_knows_is_left_out() {
        let header = made("@MORE_INCLUDES@\n#define strtoll @MINE@\n#define LIMIT @LIMIT@\n");
        assert_eq!(header, "\n\n#define LIMIT 0\n");
    }

    #[test]
    fn names_may_begin_with_that_of_the_project() {
        let header = made(
            "#cmakedefine MINE_HAVE_SETLOCALE @MINE_HAVE_SETLOCALE@\n#cmakedefine01 MINE_HAVE_STRDUP\n",
        );
        assert_eq!(header, "#define MINE_HAVE_SETLOCALE 1\n#define MINE_HAVE_STRDUP 1\n");
    }

    #[test]
    fn an_export_header_defines_macros_without_meaning() {
        let header = export_header("include/my-lib_export.h").unwrap();
        assert!(
            header.starts_with("#define MY_LIB_EXPORT\n#define MY_LIB_NO_EXPORT\n"),
            "{header}"
        );
        assert_eq!(export_header("export.h"), None);
    }

    #[test]
    fn a_line_that_is_a_variable_is_what_the_build_sets_it_to() {
        let list = "if (NOT DISABLE_PATCH)\n  set(H_PATCH \"#include \\\"patch.h\\\"\")\nelse()\n  set(H_PATCH \"\")\nendif()\n\
                    set(SOURCES a.c b.c)\nset(FLAGS \"-O2\")\nset(H_OTHER \"#include \\\"${X}.h\\\"\")\n";
        let found = lines_of_variables(list);
        let line = "#include \"patch.h\"".to_owned();
        assert_eq!(found, [("H_PATCH".to_owned(), line.clone(), "patch.h".to_owned())]);
        let lines = BTreeMap::from([("H_PATCH".to_owned(), line)]);
        let header =
            from_template("int f(void);\n@H_PATCH@\n@H_OTHER@\n", &BTreeSet::new(), &lines);
        assert_eq!(header, "int f(void);\n#include \"patch.h\"\n\n");
    }
}
