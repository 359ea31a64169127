//! How a library function is declared, read from its C prototype.

use thiserror::Error;
use verdiff_model::{FloatKind, Signature, Type};

/// A prototype.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prototype {
    /// The function's name.
    pub name: String,
    /// The result; `None` for `void`.
    pub result: Option<Scalar>,
    /// The parameters, in order.
    pub params: Vec<Parameter>,
    /// Whether more may follow.
    pub variadic: bool,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Scalar,
}

/// The machine type of a parameter or result, as far as all targets agree on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// An integer of so many bits.
    Int(u16),
    /// An address.
    Ptr,
    /// `float`.
    Single,
    /// `double`.
    Double,
    /// `long double`, whatever the target takes for it.
    LongDouble,
}

/// Why a prototype could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PrototypeError {
    /// The parentheses are not where they should be.
    #[error("`{0}` is no prototype: expected `result name(parameters)`")]
    Shape(String),
    /// A type that is not in the list.
    #[error("unknown type `{0}`")]
    UnknownType(String),
    /// A parameter without a name.
    #[error("parameter `{0}` has no name")]
    Unnamed(String),
}

impl Scalar {
    /// Whether a machine type is this one.
    pub fn fits(self, ty: Type) -> bool {
        match self {
            Scalar::Int(width) => ty == Type::Int(width),
            Scalar::Ptr => ty == Type::Ptr,
            Scalar::Single => ty == Type::Float(FloatKind::Single),
            Scalar::Double => ty == Type::Float(FloatKind::Double),
            Scalar::LongDouble => {
                matches!(ty, Type::Float(FloatKind::X87 | FloatKind::Quad | FloatKind::Double))
            }
        }
    }
}

impl Prototype {
    /// Reads a C prototype in which every parameter has a name.
    pub fn parse(text: &str) -> Result<Prototype, PrototypeError> {
        let shape = || PrototypeError::Shape(text.to_owned());
        let (head, rest) = text.split_once('(').ok_or_else(shape)?;
        let list = rest.trim_end().strip_suffix(')').ok_or_else(shape)?;
        let (result, name) = declaration(head)?;
        let mut params = Vec::new();
        let mut variadic = false;
        for part in list.split(',').map(str::trim).filter(|p| !p.is_empty() && *p != "void") {
            if variadic {
                return Err(shape());
            }
            if part == "..." {
                variadic = true;
                continue;
            }
            let (ty, name) = declaration(part)?;
            params.push(Parameter { name, ty: ty.ok_or_else(shape)? });
        }
        Ok(Prototype { name, result, params, variadic })
    }

    /// Whether a function with these machine types may be this one.
    pub fn fits(&self, signature: &Signature) -> bool {
        let results = match (self.result, signature.results.as_slice()) {
            (None, []) => true,
            (Some(scalar), [ty]) => scalar.fits(*ty),
            _ => false,
        };
        // `int f();` says nothing of the parameters.
        let undeclared = signature.variadic && signature.params.is_empty();
        let params = self.params.len() == signature.params.len()
            && self.variadic == signature.variadic
            && self.params.iter().zip(&signature.params).all(|(p, ty)| p.ty.fits(*ty));
        results && (params || undeclared)
    }

    /// The position of a parameter.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.params.iter().position(|p| p.name == name)
    }
}

/// `const char *text` is a type and a name.
fn declaration(text: &str) -> Result<(Option<Scalar>, String), PrototypeError> {
    let text = text.trim();
    let start = text
        .rfind(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .map_or(0, |position| position + 1);
    let (ty, name) = text.split_at(start);
    if name.is_empty() || ty.trim().is_empty() {
        return Err(PrototypeError::Unnamed(text.to_owned()));
    }
    Ok((scalar(ty)?, name.to_owned()))
}

fn scalar(text: &str) -> Result<Option<Scalar>, PrototypeError> {
    if text.contains('*') {
        return Ok(Some(Scalar::Ptr));
    }
    let words: Vec<&str> = text.split_whitespace().filter(|w| *w != "const").collect();
    Ok(Some(match words.join(" ").as_str() {
        "void" => return Ok(None),
        "bool" => Scalar::Int(1),
        "char" | "unsigned char" => Scalar::Int(8),
        "short" | "unsigned short" | "uint16_t" => Scalar::Int(16),
        "int" | "unsigned" | "unsigned int" | "uint32_t" | "pid_t" | "uid_t" | "gid_t"
        | "mode_t" | "wchar_t" | "wint_t" | "useconds_t" | "clockid_t" => Scalar::Int(32),
        "long" | "unsigned long" | "long long" | "unsigned long long" | "size_t" | "ssize_t"
        | "time_t" | "off_t" | "clock_t" | "intmax_t" | "uintmax_t" => Scalar::Int(64),
        "float" => Scalar::Single,
        "double" => Scalar::Double,
        "long double" => Scalar::LongDouble,
        // A list of arguments is passed by address on the supported targets; functions too.
        "va_list" | "callback" => Scalar::Ptr,
        other => return Err(PrototypeError::UnknownType(other.to_owned())),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prototype_is_read() {
        let p = Prototype::parse("void *memchr(const void *s, int c, size_t n)").unwrap();
        assert_eq!((p.name.as_str(), p.result), ("memchr", Some(Scalar::Ptr)));
        let types: Vec<Scalar> = p.params.iter().map(|p| p.ty).collect();
        assert_eq!(types, [Scalar::Ptr, Scalar::Int(32), Scalar::Int(64)]);
        assert_eq!(p.position("n"), Some(2));
        let p = Prototype::parse("int printf(const char *format, ...)").unwrap();
        assert!(p.variadic && p.params.len() == 1);
        assert_eq!(Prototype::parse("void abort(void)").unwrap().result, None);
    }

    #[test]
    fn what_is_no_prototype_is_refused() {
        let error = |text: &str| Prototype::parse(text).unwrap_err();
        assert_eq!(error("int abs"), PrototypeError::Shape("int abs".into()));
        assert_eq!(error("int abs(int n"), PrototypeError::Shape("int abs(int n".into()));
        assert_eq!(error("int abs(quux n)"), PrototypeError::UnknownType("quux".into()));
        assert_eq!(error("int abs(int)"), PrototypeError::Unnamed("int".into()));
        assert!(matches!(error("int f(..., int n)"), PrototypeError::Shape(_)));
    }

    #[test]
    fn other_types_are_another_function() {
        let p = Prototype::parse("int abs(int n)").unwrap();
        let signature = |params: &[Type], results: &[Type], variadic| Signature {
            params: params.to_vec(),
            results: results.to_vec(),
            variadic,
        };
        let int = Type::Int(32);
        assert!(p.fits(&signature(&[int], &[int], false)));
        assert!(p.fits(&signature(&[], &[int], true)));
        assert!(!p.fits(&signature(&[Type::Ptr], &[int], false)));
        assert!(!p.fits(&signature(&[int, int], &[int], false)));
        assert!(!p.fits(&signature(&[int], &[], false)));
    }
}
