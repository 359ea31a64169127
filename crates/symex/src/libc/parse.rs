//! The knowledge file is read into types; anything odd in it is an error, never ignored.

use super::prototype::{Prototype, PrototypeError};
use super::{
    Ends, Extent, FunctionModel, Hidden, Knowledge, Model, Returns, StoredTarget, Touch, Which,
    Written,
};
use serde::Deserialize;
use std::collections::BTreeMap;
use thiserror::Error;

/// Why a knowledge file could not be read.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum KnowledgeError {
    /// It is not TOML, or a field is unknown or has the wrong type.
    #[error("{0}")]
    Syntax(#[from] toml::de::Error),
    /// A prototype is wrong.
    #[error("{function}: {source}")]
    Prototype {
        /// The function.
        function: String,
        /// What is wrong.
        source: PrototypeError,
    },
    /// The prototype is that of another function.
    #[error("{function} is declared as {declared}")]
    OtherName {
        /// The function.
        function: String,
        /// The name in its prototype.
        declared: String,
    },
    /// A function is listed in two headers.
    #[error("{function} is listed twice, in {first} and {second}")]
    Duplicate {
        /// The function.
        function: String,
        /// One header.
        first: String,
        /// The other.
        second: String,
    },
    /// A field names a parameter that is not there, or says something unreadable.
    #[error("{function}: {field}: `{text}` is neither a parameter nor anything else known here")]
    BadValue {
        /// The function.
        function: String,
        /// The field.
        field: &'static str,
        /// What it says.
        text: String,
    },
    /// `pure` together with an effect, or neither.
    #[error("{function} must either be `pure` or have an effect")]
    Pure {
        /// The function.
        function: String,
    },
}

/// A function as the file has it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    c: String,
    #[serde(default)]
    pure: bool,
    #[serde(default)]
    reads: BTreeMap<String, RawExtent>,
    #[serde(default)]
    writes: BTreeMap<String, RawExtent>,
    from: Option<Vec<String>>,
    #[serde(default)]
    stores: BTreeMap<String, String>,
    returns: Option<String>,
    null: Option<String>,
    #[serde(default)]
    keeps: Vec<String>,
    #[serde(default)]
    calls_back: Vec<String>,
    frees: Option<String>,
    format: Option<String>,
    #[serde(default)]
    hidden: Hidden,
    #[serde(default)]
    world: bool,
    #[serde(default)]
    errno: bool,
    #[serde(default)]
    ends: Ends,
    model: Option<Model>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum RawExtent {
    Bytes(u64),
    Text(String),
}

/// Reads a knowledge file: a table for each header, an entry for each function.
pub fn parse(text: &str) -> Result<Knowledge, KnowledgeError> {
    let headers: BTreeMap<String, BTreeMap<String, Raw>> = toml::from_str(text)?;
    let mut functions: BTreeMap<String, FunctionModel> = BTreeMap::new();
    for (header, list) in headers {
        for (function, raw) in list {
            if let Some(other) = functions.get(&function) {
                let first = other.header.clone();
                return Err(KnowledgeError::Duplicate { function, first, second: header });
            }
            let known = ModelReader::new(&function, &raw)?.read(&header, raw)?;
            functions.insert(function, known);
        }
    }
    Ok(Knowledge { functions })
}

struct ModelReader<'a> {
    function: &'a str,
    prototype: Prototype,
}

impl<'a> ModelReader<'a> {
    fn new(function: &'a str, raw: &Raw) -> Result<ModelReader<'a>, KnowledgeError> {
        let prototype = Prototype::parse(&raw.c).map_err(|source| KnowledgeError::Prototype {
            function: function.to_owned(),
            source,
        })?;
        if prototype.name != function {
            return Err(KnowledgeError::OtherName {
                function: function.to_owned(),
                declared: prototype.name,
            });
        }
        Ok(ModelReader { function, prototype })
    }

    fn read(self, header: &str, raw: Raw) -> Result<FunctionModel, KnowledgeError> {
        let reads = self.touches("reads", &raw.reads)?;
        let writes = self.touches("writes", &raw.writes)?;
        let written = match &raw.from {
            None => Written::Outside,
            Some(list) => Written::Params(self.params("from", list)?),
        };
        let mut stores = Vec::new();
        for (into, what) in &raw.stores {
            let source = match what.as_str() {
                "fresh" => StoredTarget::Fresh,
                name => StoredTarget::Param(self.param("stores", name)?),
            };
            stores.push((self.param("stores", into)?, source));
        }
        let returns = match raw.returns.as_deref() {
            None => Returns::Value,
            Some("fresh") => Returns::Fresh,
            Some("outside") => Returns::Outside,
            Some(text) => match text.strip_prefix("fresh or ") {
                Some(name) => Returns::FreshOr(self.param("returns", name)?),
                None => Returns::Param(self.param("returns", text)?),
            },
        };
        let never_null = match raw.null.as_deref() {
            None => false,
            // What is no pointer is no null pointer.
            Some("never") if returns != Returns::Value => true,
            Some(text) => return Err(self.bad("null", text)),
        };
        let keeps: Result<Vec<Which>, _> =
            raw.keeps.iter().map(|name| self.which("keeps", name)).collect();
        let one = |field, name: &Option<String>| match name {
            None => Ok(None),
            Some(name) => self.param(field, name).map(Some),
        };
        let allocates = matches!(returns, Returns::Fresh | Returns::FreshOr(_))
            || stores.iter().any(|(_, source)| *source == StoredTarget::Fresh);
        let known = FunctionModel {
            name: self.function.to_owned(),
            header: header.to_owned(),
            reads,
            writes,
            written,
            stores,
            returns,
            never_null,
            keeps: keeps?,
            calls_back: self.params("calls_back", &raw.calls_back)?,
            frees: one("frees", &raw.frees)?,
            allocates,
            format: one("format", &raw.format)?,
            hidden: raw.hidden,
            world: raw.world,
            errno: raw.errno,
            ends: raw.ends,
            model: raw.model,
            prototype: self.prototype,
        };
        if raw.pure != known.is_pure() {
            return Err(KnowledgeError::Pure { function: known.name });
        }
        Ok(known)
    }

    fn bad(&self, field: &'static str, text: &str) -> KnowledgeError {
        KnowledgeError::BadValue {
            function: self.function.to_owned(),
            field,
            text: text.to_owned(),
        }
    }

    fn param(&self, field: &'static str, name: &str) -> Result<usize, KnowledgeError> {
        self.prototype.position(name.trim()).ok_or_else(|| self.bad(field, name))
    }

    fn params(&self, field: &'static str, names: &[String]) -> Result<Vec<usize>, KnowledgeError> {
        names.iter().map(|name| self.param(field, name)).collect()
    }

    fn which(&self, field: &'static str, name: &str) -> Result<Which, KnowledgeError> {
        if name == "..." && self.prototype.variadic {
            return Ok(Which::Rest);
        }
        self.param(field, name).map(Which::Param)
    }

    fn touches(
        &self,
        field: &'static str,
        map: &BTreeMap<String, RawExtent>,
    ) -> Result<Vec<Touch>, KnowledgeError> {
        let touch = |(name, extent): (&String, &RawExtent)| {
            let extent = match extent {
                RawExtent::Bytes(count) => Extent::Bytes(*count),
                RawExtent::Text(text) => self.extent(field, text)?,
            };
            Ok(Touch { which: self.which(field, name)?, extent })
        };
        map.iter().map(touch).collect()
    }

    fn extent(&self, field: &'static str, text: &str) -> Result<Extent, KnowledgeError> {
        Ok(match text {
            "any" => Extent::Any,
            "string" => Extent::String,
            _ => {
                if let Some(limit) = text.strip_prefix("string <= ") {
                    Extent::StringAtMost(self.param(field, limit)?)
                } else if let Some((a, b)) = text.split_once('*') {
                    Extent::Product(self.param(field, a)?, self.param(field, b)?)
                } else {
                    Extent::Param(self.param(field, text)?)
                }
            }
        })
    }
}
