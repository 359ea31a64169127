//! `--accept FILE`: differences that are wanted.
//!
//! ```toml
//! [[accept]]
//! function = "payload"
//! kind = "value"                # value, memory, output, trap, termination, interface
//! why = "a packet without payload is an error now"
//! condition = "length == 4"     # optional: accepted only if the report says exactly this
//! ```

use anyhow::{Context, bail};
use serde::Deserialize;
use std::path::Path;
use verdiff_judge::{Answer, Kind};
use verdiff_report::{PairReport, Remark, Report, accepts_nothing};

/// The differences of a file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Accepted {
    #[serde(default)]
    accept: Vec<Accept>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Accept {
    function: String,
    kind: Kind,
    why: String,
    condition: Option<String>,
}

impl Accepted {
    /// Reads a file.
    pub fn read(path: &Path) -> anyhow::Result<Accepted> {
        let name = path.display();
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("{name}: cannot read the file of --accept"))?;
        // Its message is a picture of the line; it begins with a number of its own.
        let accepted: Accepted = toml::from_str(&text)
            .map_err(|e| anyhow::anyhow!("{name}: {}", e.to_string().trim_end()))?;
        if let Some(empty) = accepted.accept.iter().find(|a| a.why.trim().is_empty()) {
            bail!(
                "{name}: {}: `why` must state the reason why this difference is expected",
                empty.function
            );
        }
        Ok(accepted)
    }

    /// Takes what is accepted out of the count. Gives a warning for each entry that is about nothing.
    pub fn apply(&self, report: &mut Report) -> Vec<String> {
        let mut used = vec![false; self.accept.len()];
        for pair in &mut report.pairs {
            let kinds = kinds(pair);
            let mut why = vec![];
            let mut open = kinds.clone();
            for (number, accept) in self.accept.iter().enumerate() {
                if accept.function == pair.function
                    && kinds.contains(&accept.kind)
                    && accept.holds(pair)
                {
                    used[number] = true;
                    open.retain(|k| *k != accept.kind);
                    why.push(accept.why.clone());
                }
            }
            if !kinds.is_empty() && open.is_empty() {
                pair.add(&Remark::Accepted(why));
            }
        }
        let unused = self.accept.iter().zip(used).filter(|(_, used)| !used).map(|(a, _)| a);
        unused.map(|a| accepts_nothing(&a.function)).collect()
    }
}

impl Accept {
    /// Whether its condition, if it has one, is the one that was found, all of it.
    fn holds(&self, pair: &PairReport) -> bool {
        let plain = |text: &str| text.split_whitespace().collect::<String>();
        let exact = matches!(
            pair.answer,
            Answer::Judged(verdiff_judge::Verdict::Different { exact: true })
        );
        self.condition.as_ref().is_none_or(|wanted| {
            exact && pair.differ_under.c.as_ref().is_some_and(|c| plain(c) == plain(wanted))
        })
    }
}

fn kinds(pair: &PairReport) -> Vec<Kind> {
    match pair.answer {
        Answer::Interface => vec![Kind::Interface],
        Answer::Judged(verdiff_judge::Verdict::Different { .. }) => pair.kinds.clone(),
        _ => vec![],
    }
}
