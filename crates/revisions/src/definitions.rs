//! What a C file defines for other files, found by reading it: to know which file has a callee without compiling all of them.
//!
//! Names that stand outside of braces and parentheses, in front of a parameter list that a body follows, or as a variable. It is a guess
//! in both directions; whoever uses it compiles the file and sees.

use std::collections::BTreeSet;

/// The names that a file seems to define.
pub fn definitions(text: &str) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    let (mut braces, mut parentheses) = (0u32, 0u32);
    // The last name outside of everything, and the name in front of a parameter list that has ended.
    let (mut name, mut function) = (None, None);
    // What follows a `=` is a value, which may name what another file defines.
    let (mut foreign, mut value) = (false, false);
    for token in (Tokens { text, at: 0 }) {
        let outside = braces == 0 && parentheses == 0;
        match token {
            Token::Name("extern" | "typedef") if outside => foreign = true,
            Token::Name(word) if outside && !value => name = Some(word),
            Token::Name(_) => {}
            Token::Mark { letter, first_column } => match letter {
                // Conditional code may open a brace twice and close it once.
                '}' if first_column => braces = 0,
                '}' => braces = braces.saturating_sub(1),
                '{' => {
                    if outside {
                        found.extend(function.take());
                    }
                    braces = if first_column { 1 } else { braces + 1 };
                }
                '(' => {
                    if outside {
                        function = name.take();
                    }
                    parentheses += 1;
                }
                ')' => parentheses = parentheses.saturating_sub(1),
                '=' | '[' | ';' | ',' if outside => {
                    if !foreign {
                        found.extend(name.take());
                    }
                    value = letter == '=' || letter == '[' && value;
                    if letter == ';' {
                        (foreign, function, name) = (false, None, None);
                    }
                }
                _ => {}
            },
        }
    }
    found
}

enum Token<'a> {
    Name(&'a str),
    Mark { letter: char, first_column: bool },
}

/// Names and marks, without comments, literals and preprocessor lines.
struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let bytes = self.text.as_bytes();
        loop {
            let start = self.at;
            let letter = *bytes.get(start)?;
            let first_column = start == 0 || bytes[start - 1] == b'\n';
            self.at += 1;
            match letter {
                b'/' if bytes.get(self.at) == Some(&b'*') => {
                    let rest = &self.text.as_bytes()[self.at..];
                    let end = rest.windows(2).skip(1).position(|two| two == b"*/");
                    self.at = end.map_or(bytes.len(), |end| self.at + end + 3);
                }
                b'/' if bytes.get(self.at) == Some(&b'/') => self.skip_line(),
                b'#' => self.skip_line(),
                b'"' | b'\'' => {
                    while let Some(c) = bytes.get(self.at) {
                        self.at += if *c == b'\\' { 2 } else { 1 };
                        if *c == letter || *c == b'\n' {
                            break;
                        }
                    }
                }
                c if c.is_ascii_alphabetic() || c == b'_' => {
                    let in_name = |c: &u8| c.is_ascii_alphanumeric() || *c == b'_';
                    while bytes.get(self.at).is_some_and(in_name) {
                        self.at += 1;
                    }
                    return Some(Token::Name(&self.text[start..self.at]));
                }
                c if c.is_ascii_punctuation() => {
                    return Some(Token::Mark { letter: c.into(), first_column });
                }
                _ => {}
            }
        }
    }
}

impl Tokens<'_> {
    /// To the end of a line, and of those that a backslash joins to it.
    fn skip_line(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(c) = bytes.get(self.at) {
            self.at += 1;
            if *c == b'\n' && bytes.get(self.at.wrapping_sub(2)) != Some(&b'\\') {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_and_variables_are_found_and_declarations_are_not() {
        let text = "/* int no(void) { } */\n#define M(x) \\\n int no2(void) { }\nextern int no3;\nint no4(int);\n\
            static inline int f(int (*cb)(void)) { return g(\"}\"); }\nint a = 1, b[3];\nint (*p)(int) = no5, c = no6, *d;\nvoid\nold(x) int x;\n{\n  inner(1);\n}\n\
            struct s { int field; };\nint last(void)\n{\n#if X\n  if (1) {\n#else\n  if (2) {\n#endif\n  }\n}\nint after(void) { return 0; }\n";
        let found = definitions(text);
        for name in ["f", "a", "b", "c", "d", "last", "after"] {
            assert!(found.contains(name), "{name} is not in {found:?}");
        }
        for name in ["no", "no2", "no3", "no4", "no5", "no6", "g", "inner", "field", "cb"] {
            assert!(!found.contains(name), "{name} is in {found:?}");
        }
    }
}
