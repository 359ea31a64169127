//! S-expressions, kept flat so that neither reading nor dropping deep ones recurses.

/// Text that is not a sequence of S-expressions.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SyntaxError {
    /// A parenthesis closes nothing.
    #[error("a parenthesis closes nothing at byte {0}")]
    Unbalanced(usize),
    /// The text ends inside a list, a string or a quoted symbol.
    #[error("the text ends inside an expression")]
    Unfinished,
}

/// What an expression is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SexprKind {
    /// A symbol, number or other word; `|…|` is taken off.
    Atom(String),
    /// A string, without its quotes.
    Text(String),
    /// A list of expressions, by their numbers.
    List(Vec<usize>),
}

/// The expressions of a text, numbered.
///
/// ```
/// use verdiff_logic::smtlib::Sexprs;
/// let parsed = Sexprs::parse("sat ((x #x0f))").unwrap();
/// assert_eq!(parsed.roots().len(), 2);
/// assert_eq!(parsed.atom(parsed.roots()[0]), Some("sat"));
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sexprs {
    nodes: Vec<SexprKind>,
    roots: Vec<usize>,
}

impl Sexprs {
    /// Reads a text.
    pub fn parse(text: &str) -> Result<Sexprs, SyntaxError> {
        let mut result = Sexprs::default();
        let mut open: Vec<Vec<usize>> = Vec::new();
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let kind = match bytes[at] {
                b' ' | b'\t' | b'\r' | b'\n' => {
                    at += 1;
                    continue;
                }
                b';' => {
                    at += bytes[at..].iter().position(|b| *b == b'\n').unwrap_or(bytes.len() - at);
                    continue;
                }
                b'(' => {
                    open.push(Vec::new());
                    at += 1;
                    continue;
                }
                b')' => {
                    let list = open.pop().ok_or(SyntaxError::Unbalanced(at))?;
                    at += 1;
                    SexprKind::List(list)
                }
                b'"' => {
                    let (string, next) = quoted_string(text, at)?;
                    at = next;
                    SexprKind::Text(string)
                }
                b'|' => {
                    let length = text[at + 1..].find('|').ok_or(SyntaxError::Unfinished)?;
                    let word = text[at + 1..at + 1 + length].to_string();
                    at += length + 2;
                    SexprKind::Atom(word)
                }
                _ => {
                    let end = bytes[at..]
                        .iter()
                        .position(|b| {
                            matches!(
                                b,
                                b' ' | b'\t' | b'\r' | b'\n' | b'(' | b')' | b'"' | b'|' | b';'
                            )
                        })
                        .map_or(bytes.len(), |length| at + length);
                    let word = text[at..end].to_string();
                    at = end;
                    SexprKind::Atom(word)
                }
            };
            let number = result.nodes.len();
            result.nodes.push(kind);
            match open.last_mut() {
                Some(list) => list.push(number),
                None => result.roots.push(number),
            }
        }
        if open.is_empty() { Ok(result) } else { Err(SyntaxError::Unfinished) }
    }

    /// The expressions at the top.
    pub fn roots(&self) -> &[usize] {
        &self.roots
    }

    /// What an expression is.
    pub fn kind(&self, number: usize) -> &SexprKind {
        &self.nodes[number]
    }

    /// The word, if the expression is one.
    pub fn atom(&self, number: usize) -> Option<&str> {
        match &self.nodes[number] {
            SexprKind::Atom(word) => Some(word),
            _ => None,
        }
    }

    /// The parts, if the expression is a list.
    pub fn list(&self, number: usize) -> Option<&[usize]> {
        match &self.nodes[number] {
            SexprKind::List(parts) => Some(parts),
            _ => None,
        }
    }

    /// The message, if the expression is `(error "…")`.
    pub fn error(&self, number: usize) -> Option<&str> {
        match self.list(number)? {
            &[word, message] if self.atom(word) == Some("error") => match &self.nodes[message] {
                SexprKind::Text(text) | SexprKind::Atom(text) => Some(text),
                SexprKind::List(_) => Some("error"),
            },
            _ => None,
        }
    }
}

/// A string that starts at `start`, and where it ends; a doubled quote stands for one.
fn quoted_string(text: &str, start: usize) -> Result<(String, usize), SyntaxError> {
    let mut result = String::new();
    let mut at = start + 1;
    loop {
        let length = text[at..].find('"').ok_or(SyntaxError::Unfinished)?;
        result.push_str(&text[at..at + length]);
        at += length + 1;
        if !text[at..].starts_with('"') {
            return Ok((result, at));
        }
        result.push('"');
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_solvers_print() {
        let parsed = Sexprs::parse("(error \"line 1: \"\"x\"\" unknown\") |a b| ; note\n sat");
        let parsed = parsed.expect("is well formed");
        assert_eq!(parsed.error(parsed.roots()[0]), Some("line 1: \"x\" unknown"));
        assert_eq!(parsed.atom(parsed.roots()[1]), Some("a b"));
        assert_eq!(parsed.atom(parsed.roots()[2]), Some("sat"));
    }

    #[test]
    fn rejects_what_is_no_expression() {
        assert_eq!(Sexprs::parse("(a"), Err(SyntaxError::Unfinished));
        assert_eq!(Sexprs::parse("a)"), Err(SyntaxError::Unbalanced(1)));
        assert_eq!(Sexprs::parse("\"abc"), Err(SyntaxError::Unfinished));
        assert_eq!(Sexprs::parse("|abc"), Err(SyntaxError::Unfinished));
    }

    #[test]
    fn a_million_parentheses_do_not_overflow_the_stack() {
        let deep = format!("{}{}", "(".repeat(1_000_000), ")".repeat(1_000_000));
        assert_eq!(Sexprs::parse(&deep).expect("is balanced").nodes.len(), 1_000_000);
    }
}
