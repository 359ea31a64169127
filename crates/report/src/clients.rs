//! Many clients of one library: one line each.

use crate::impact;
use crate::json::json;
use crate::report::{PairReport, Report};
use crate::summary::{FailOn, exit_code};
use serde_json::{Value, json};
use verdiff_judge::{Answer, Impact, ImpactKind, Verdict};

/// The schema's name.
const SCHEMA: &str = "verdiff-clients/1";

/// What a change of a library means for one client.
#[derive(Clone, Debug)]
pub struct Client {
    /// The client's file, as the user named it.
    pub file: String,
    /// The comparison of its functions, or why there is none.
    pub outcome: Result<Report, ClientTrouble>,
}

/// Why a client was not compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientTrouble {
    /// It could not be loaded: what is wrong with it.
    Error(String),
    /// The run was over before.
    NotAnalysed,
}

/// The impact of a library change on a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ClientImpact {
    /// Proved that nothing in it is affected.
    NotAffected,
    /// Proved equal, but not for every call, or not that it terminates alike.
    Equivalent,
    /// A confirmed difference.
    Affected,
    /// Anything else.
    Undecided,
    /// It could not be compared.
    Error,
}

impl ClientImpact {
    const ALL: [ClientImpact; 5] = [
        ClientImpact::NotAffected,
        ClientImpact::Equivalent,
        ClientImpact::Affected,
        ClientImpact::Undecided,
        ClientImpact::Error,
    ];

    fn label(self) -> &'static str {
        match self {
            ClientImpact::NotAffected => "not affected",
            ClientImpact::Equivalent => "equivalent",
            ClientImpact::Affected => "affected",
            ClientImpact::Undecided => "undecided",
            ClientImpact::Error => "not compared",
        }
    }

    fn code(self) -> &'static str {
        match self {
            ClientImpact::NotAffected => "none",
            ClientImpact::Equivalent => "equivalent",
            ClientImpact::Affected => "proved",
            ClientImpact::Undecided => "possible",
            ClientImpact::Error => "error",
        }
    }
}

impl Client {
    /// The exit code of its comparison.
    pub fn exit_code(&self, fail_on: FailOn) -> u8 {
        match &self.outcome {
            Ok(report) => exit_code(report, fail_on),
            Err(ClientTrouble::Error(_)) => 2,
            Err(ClientTrouble::NotAnalysed) => 3 * u8::from(fail_on.unknown),
        }
    }

    fn impact(&self) -> ClientImpact {
        let report = match &self.outcome {
            Ok(report) => report,
            Err(ClientTrouble::Error(_)) => return ClientImpact::Error,
            Err(ClientTrouble::NotAnalysed) => return ClientImpact::Undecided,
        };
        let any = |test: &dyn Fn(&PairReport) -> bool| report.pairs.iter().any(test);
        if any(&differs) {
            ClientImpact::Affected
        } else if report.interrupted || any(&is_undecided) {
            ClientImpact::Undecided
        } else if any(&|pair| pair.impact.as_ref().is_some_and(|i| i.kind != ImpactKind::None)) {
            ClientImpact::Equivalent
        } else {
            ClientImpact::NotAffected
        }
    }

    /// The details.
    fn detail(&self, impact: ClientImpact) -> Option<String> {
        let report = match &self.outcome {
            Ok(report) => report,
            Err(ClientTrouble::Error(why)) => {
                // The line begins with the file already.
                let why = why.strip_prefix(&format!("{}: ", self.file)).unwrap_or(why);
                return Some(why.to_owned());
            }
            Err(ClientTrouble::NotAnalysed) => {
                return Some("it was not analysed within the time limit of the run".to_owned());
            }
        };
        let one_of = |test: &dyn Fn(&PairReport) -> bool, say: &dyn Fn(&PairReport) -> String| {
            let mut all = report.pairs.iter().filter(|pair| test(pair));
            let first = all.next()?;
            Some(match all.count() {
                0 => say(first),
                1 => format!("{} (and 1 more function)", say(first)),
                more => format!("{} (and {more} more functions)", say(first)),
            })
        };
        match impact {
            ClientImpact::Affected => one_of(&differs, &impact::difference_sentence),
            ClientImpact::Undecided => one_of(&is_undecided, &|pair| match &pair.impact {
                Some(impact) => impact::possible_impact(pair, impact),
                None => format!("{}() is undecided", pair.function),
            }),
            ClientImpact::Equivalent => {
                Some("proved for valid inputs only, or without equal termination".to_owned())
            }
            ClientImpact::NotAffected => {
                let regions = report.pairs.iter().flat_map(|p| p.boundaries.iter().cloned());
                let regions = impact::containment_sentences(&regions.collect::<Vec<_>>());
                let impacts = || report.pairs.iter().filter_map(|pair| pair.impact.as_ref());
                match (regions.is_empty(), impacts().next()) {
                    (false, _) => Some(regions.join("; ")),
                    (true, Some(_)) => Some(without_effect(impacts())),
                    (true, None) => Some("it uses nothing that changed".to_owned()),
                }
            }
            ClientImpact::Error => None,
        }
    }

    /// The client in one line.
    fn line(&self) -> String {
        let impact = self.impact();
        match self.detail(impact) {
            Some(detail) => format!("{}: {}: {detail}", self.file, impact.label()),
            None => format!("{}: {}", self.file, impact.label()),
        }
    }
}

/// The changes that have no effect on a client.
fn without_effect<'a>(impacts: impl Iterator<Item = &'a Impact>) -> String {
    let mut names: Vec<String> = vec![];
    for name in impacts.flat_map(impact::cause_names) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    match names.len() {
        0 => "the change makes no difference to it".to_owned(),
        1 => format!("the change in {} makes no difference to it", names[0]),
        _ => {
            format!("the changes in {} make no difference to it", impact::abbreviated_list(&names))
        }
    }
}

fn differs(pair: &PairReport) -> bool {
    matches!(pair.answer, Answer::Judged(Verdict::Different { .. }) | Answer::Interface)
}

fn is_undecided(pair: &PairReport) -> bool {
    matches!(pair.answer, Answer::Judged(Verdict::Unknown(_)))
}

/// All clients as text: one line each, and how many there are of each kind.
pub fn clients_text(clients: &[Client]) -> String {
    let mut text: String = clients.iter().map(|client| client.line() + "\n").collect();
    let counts = ClientImpact::ALL
        .map(|impact| (impact, clients.iter().filter(|c| c.impact() == impact).count()));
    let parts: Vec<String> = counts
        .into_iter()
        .filter(|(impact, count)| {
            *count > 0
                || matches!(
                    impact,
                    ClientImpact::NotAffected | ClientImpact::Affected | ClientImpact::Undecided
                )
        })
        .map(|(impact, count)| format!("{count} {}", impact.label()))
        .collect();
    let word = if clients.len() == 1 { "client" } else { "clients" };
    text += &format!("\n{} {word}: {}\n", clients.len(), parts.join(", "));
    text
}

/// All clients as JSON, with the whole report of each.
pub fn clients_json(clients: &[Client]) -> Value {
    let one = |client: &Client| {
        let impact = client.impact();
        let (report, error) = match &client.outcome {
            Ok(report) => (json(report), None),
            Err(ClientTrouble::Error(why)) => (Value::Null, Some(why.clone())),
            Err(ClientTrouble::NotAnalysed) => (Value::Null, None),
        };
        json!({
            "client": client.file,
            "impact": impact.code(),
            "sentence": client.line(),
            "exit_code": client.exit_code(FailOn::default()),
            "error": error,
            "report": report,
        })
    };
    json!({
        "schema": SCHEMA,
        "tool": {"name": "verdiff", "version": env!("CARGO_PKG_VERSION")},
        "clients": clients.iter().map(one).collect::<Vec<_>>(),
    })
}

/// The exit code for all clients: 2 wins over 1, 1 over 3.
pub fn clients_exit_code(clients: &[Client], fail_on: FailOn) -> u8 {
    let codes: Vec<u8> = clients.iter().map(|client| client.exit_code(fail_on)).collect();
    [2, 1, 3].into_iter().find(|code| codes.contains(code)).unwrap_or(0)
}
