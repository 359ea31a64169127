//! What the user can do about an undecided function: options to try, each with its reason.

use super::picture::declarations;
use crate::explain::{reason, reason_code};
use crate::report::PairReport;
use crate::rules::{reason_kind, rule};
use crate::summary::undecided_reason;
use verdiff_judge::StopReason;

/// Options to try, as typed, and why. An entry without an option is only a sentence.
pub(super) fn advice(pair: &PairReport, head: &str) -> Vec<(String, String)> {
    let mut all = vec![];
    let why = undecided_reason(pair);
    if let Some(impact) = pair.impact.as_ref().and_then(|impact| impact.through.first()) {
        all.push((
            String::new(),
            format!("Look at {impact} first: this function is decided when its callees are."),
        ));
    }
    let text = why.and_then(reason_code).and_then(reason).map(|reason| reason.advice);
    let text = text.or_else(|| {
        rule(&format!("unknown-{}", why.map_or("incomplete", reason_kind))).map(|rule| rule.advice)
    });
    all.extend(text.map(|text| (String::new(), text.to_owned())));
    if matches!(why, Some(StopReason::Unsupported { .. })) {
        return all;
    }
    let name = &pair.function;
    all.push((
        format!("--entry {name} --timeout 60"),
        "gives this function the full effort and more time".to_owned(),
    ));
    let parameters = declarations(head).unwrap_or_default();
    let names: Vec<&str> = parameters.iter().filter_map(|d| name_of(d)).collect();
    if let Some(first) = parameters
        .iter()
        .zip(&names)
        .find(|(d, _)| !d.contains('*'))
        .map(|(_, name)| *name)
        .or(names.first().copied())
    {
        let example = match parameters.iter().any(|d| d.contains('*') && name_of(d) == Some(first))
        {
            true => format!("{first} != 0"),
            false => format!("{first} >= 0 && {first} < 100"),
        };
        all.push((
            format!("--assume '{name}:{example}'"),
            "excludes inputs that no caller passes (an example: state what holds in your program)"
                .to_owned(),
        ));
    }
    if parameters.iter().filter(|d| d.contains(['*', '['])).count() > 1 {
        all.push((
            "--no-alias".to_owned(),
            "if its pointer parameters never point to the same object".to_owned(),
        ));
    }
    all
}

/// The name that a declaration declares.
fn name_of(declaration: &str) -> Option<&str> {
    let plain = declaration.split('[').next()?.trim_end();
    let start =
        plain.rfind(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).map_or(0, |at| at + 1);
    let name = &plain[start..];
    (start > 0 && !name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_declarations() {
        assert_eq!(name_of("const char *text"), Some("text"));
        assert_eq!(name_of("int a[4]"), Some("a"));
        assert_eq!(name_of("void"), None);
        assert_eq!(name_of("..."), None);
    }
}
