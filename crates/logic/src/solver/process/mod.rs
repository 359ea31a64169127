//! Any SMT-LIB solver as a child process.
//!
//! The process is kept between queries (`(reset)` makes it new) and killed when it oversteps a
//! limit, dies, or says what is no answer; the next query then starts another. So nothing it does
//! can do more than cost one query.

mod pipe;

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use super::z3::assignment_of;
use super::{Answer, Backend, Decide, Limits, Query, Reason, SolverError, Stop};
use crate::op::Op;
use crate::smtlib::{ElementNames, Script, Sexprs, Sharing, parse_value};
use crate::term::{TermId, TermPool};

use pipe::{Child, Watch};

/// How long after its own time limit a solver is given to say so before it is killed.
const GRACE: Duration = Duration::from_millis(100);

/// How a solver is started and spoken to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessConfig {
    /// The binary, found on the path.
    pub command: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Commands for each query, before the logic is set.
    pub preamble: Vec<String>,
    /// The option that limits the milliseconds of a query, if the solver has one.
    pub time_option: Option<String>,
    /// The option that limits the steps of a query, if the solver has one.
    pub resource_option: Option<String>,
}

impl ProcessConfig {
    /// z3.
    pub fn z3() -> ProcessConfig {
        let preamble = [
            "(set-option :produce-unsat-assumptions true)",
            "(set-option :pp.max_depth 1000000000)",
            "(set-option :pp.min_alias_size 1000000000)",
        ];
        ProcessConfig {
            command: "z3".to_string(),
            arguments: vec!["-in".to_string(), "-smt2".to_string()],
            preamble: preamble.map(str::to_string).to_vec(),
            time_option: Some("timeout".to_string()),
            resource_option: Some("rlimit".to_string()),
        }
    }

    /// cvc5.
    pub fn cvc5() -> ProcessConfig {
        let preamble =
            ["(set-option :produce-models true)", "(set-option :produce-unsat-assumptions true)"];
        ProcessConfig {
            command: "cvc5".to_string(),
            arguments: ["--lang=smt2", "--quiet"].map(str::to_string).to_vec(),
            preamble: preamble.map(str::to_string).to_vec(),
            time_option: Some("tlimit-per".to_string()),
            resource_option: Some("rlimit-per".to_string()),
        }
    }

    /// bitwuzla.
    pub fn bitwuzla() -> ProcessConfig {
        let preamble =
            ["(set-option :produce-models true)", "(set-option :produce-unsat-assumptions true)"];
        ProcessConfig {
            command: "bitwuzla".to_string(),
            arguments: vec!["--lang=smt2".to_string()],
            preamble: preamble.map(str::to_string).to_vec(),
            time_option: None,
            resource_option: None,
        }
    }
}

/// A solver in a process of its own.
///
/// ```
/// use verdiff_logic::solver::{Decide, Limits, Process, ProcessConfig, Query};
/// use verdiff_logic::{Sort, TermPool};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut pool = TermPool::new();
/// let x = pool.symbol("x", Sort::BitVec(32))?;
/// let less = pool.bv_ult(x, x)?;
/// let mut z3 = Process::start(ProcessConfig::z3())?;
/// let query = Query { assertions: &[less], assumptions: &[] };
/// assert!(z3.decide(&mut pool, &query, &Limits::seconds(10.0)).is_unsat());
/// # Ok(()) }
/// ```
pub struct Process {
    config: ProcessConfig,
    child: Option<Child>,
}

impl Process {
    /// Starts the solver.
    pub fn start(config: ProcessConfig) -> Result<Process, SolverError> {
        match Child::spawn(&config) {
            Ok(child) => Ok(Process { config, child: Some(child) }),
            Err(error) => {
                let command = config.command.clone();
                Err(SolverError::CannotStart { command, why: error.to_string() })
            }
        }
    }

    /// Whether a process is waiting for the next query.
    pub fn is_warm(&self) -> bool {
        self.child.is_some()
    }

    fn converse(
        &mut self,
        pool: &TermPool,
        query: &Query<'_>,
        limits: &Limits,
        stop: &Stop,
    ) -> Result<Answer, Reason> {
        let start = Instant::now();
        let mut child = match self.child.take() {
            Some(child) => child,
            None => Child::spawn(&self.config).map_err(|error| Reason::Unavailable {
                solver: self.config.command.clone(),
                why: error.to_string(),
            })?,
        };
        child.limit_memory(limits.memory);
        let watch = Watch {
            deadline: limits.time.map(|time| start + time + self.grace()),
            memory: limits.memory,
            stop,
        };
        let calls = calls_of(pool, query);
        let (script, names) = self.write(pool, query, limits, &calls);
        child.send(&script, &watch)?;
        let line = child.line(&watch)?;
        let answer = match line.as_str() {
            "sat" => self.read_model(pool, query, &calls, &names, &mut child, &watch)?,
            "unsat" => Answer::Unsat { core: self.read_core(query, &mut child, &watch)? },
            "unknown" => Answer::Unknown(self.read_reason(&mut child, &watch, limits)?),
            "timeout" | "cvc5 interrupted by timeout." => Answer::Unknown(Reason::Time),
            _ => return Err(self.misunderstood(&line)),
        };
        // Only a process that behaved is used again.
        self.child = Some(child);
        Ok(answer)
    }

    fn grace(&self) -> Duration {
        if self.config.time_option.is_some() { GRACE } else { Duration::ZERO }
    }

    fn write<'a>(
        &self,
        pool: &'a TermPool,
        query: &Query<'_>,
        limits: &Limits,
        calls: &[TermId],
    ) -> (String, Script<'a>) {
        let mut text = String::from("(reset)\n");
        for line in &self.config.preamble {
            let _ = writeln!(text, "{line}");
        }
        if let (Some(option), Some(time)) = (&self.config.time_option, limits.time) {
            let _ = writeln!(text, "(set-option :{option} {})", time.as_millis().max(1));
        }
        if let (Some(option), Some(resource)) = (&self.config.resource_option, limits.resource) {
            let resource = resource.clamp(1, u32::MAX.into());
            let _ = writeln!(text, "(set-option :{option} {resource})");
        }
        let mut wanted = calls.to_vec();
        wanted.extend_from_slice(query.assumptions);
        let script = Script::new(pool, query.assertions, &wanted, Sharing::Define);
        text.push_str(script.text());
        if query.assumptions.is_empty() {
            text.push_str("(check-sat)\n");
            return (text, script);
        }
        let mut literals = String::new();
        for (index, term) in query.assumptions.iter().enumerate() {
            let _ = writeln!(text, "(declare-fun ?a{index} () Bool)");
            let _ = writeln!(text, "(assert (=> ?a{index} {}))", script.name(*term));
            let _ = write!(literals, "?a{index} ");
        }
        let _ = writeln!(text, "(check-sat-assuming ({}))", literals.trim_end());
        (text, script)
    }

    fn read_model(
        &self,
        pool: &TermPool,
        query: &Query<'_>,
        calls: &[TermId],
        names: &Script<'_>,
        child: &mut Child,
        watch: &Watch<'_>,
    ) -> Result<Answer, Reason> {
        let free = pool.free_names(&query.all());
        let mut terms: Vec<TermId> = free.symbols.iter().map(|s| pool.symbol_term(*s)).collect();
        let symbols = terms.len();
        terms.extend_from_slice(calls);
        let mut elements = ElementNames::default();
        let mut values = Vec::new();
        if !terms.is_empty() {
            let names: Vec<String> = terms.iter().map(|t| names.name(*t)).collect();
            child.send(&format!("(get-value ({}))\n", names.join(" ")), watch)?;
            let text = child.expression(watch)?;
            let parsed = Sexprs::parse(&text).map_err(|_| self.misunderstood(&text))?;
            let root = parsed.roots().first().copied();
            let pairs = root.and_then(|root| parsed.list(root)).unwrap_or_default();
            if pairs.len() != terms.len() {
                return Err(self.misunderstood(&text));
            }
            for (term, pair) in terms.iter().zip(pairs) {
                let Some(&[_, value]) = parsed.list(*pair) else {
                    return Err(self.misunderstood(&text));
                };
                let value = parse_value(pool, &parsed, value, pool.sort(*term), &mut elements)
                    .map_err(|error| self.misunderstood(&error.to_string()))?;
                values.push((*term, value));
            }
        }
        let calls = values.split_off(symbols);
        assignment_of(pool, values, calls)
            .map(Answer::Sat)
            .map_err(|error| self.misunderstood(&error.to_string()))
    }

    fn read_core(
        &self,
        query: &Query<'_>,
        child: &mut Child,
        watch: &Watch<'_>,
    ) -> Result<Vec<TermId>, Reason> {
        if query.assumptions.is_empty() {
            return Ok(Vec::new());
        }
        child.send("(get-unsat-assumptions)\n", watch)?;
        let text = child.expression(watch)?;
        let parsed = Sexprs::parse(&text).map_err(|_| self.misunderstood(&text))?;
        let root = parsed.roots().first().copied();
        let list = root.and_then(|root| parsed.list(root));
        let list = list.ok_or_else(|| self.misunderstood(&text))?;
        let mut core = Vec::new();
        for literal in list {
            let number = parsed.atom(*literal).and_then(|name| name.strip_prefix("?a"));
            let term = number
                .and_then(|number| number.parse::<usize>().ok())
                .and_then(|number| query.assumptions.get(number))
                .ok_or_else(|| self.misunderstood(&text))?;
            core.push(*term);
        }
        core.sort_unstable();
        Ok(core)
    }

    fn read_reason(
        &self,
        child: &mut Child,
        watch: &Watch<'_>,
        limits: &Limits,
    ) -> Result<Reason, Reason> {
        child.send("(get-info :reason-unknown)\n", watch)?;
        let text = child.expression(watch)?.to_lowercase();
        Ok(if text.contains("timeout") {
            Reason::Time
        } else if text.contains("mem") {
            Reason::Memory
        } else if text.contains("resource") {
            Reason::Resource
        } else if text.contains("cancel") || text.contains("interrupted") {
            // z3 says the same for each of its limits.
            if limits.resource.is_some() { Reason::Resource } else { Reason::Time }
        } else {
            Reason::Incomplete(text.trim().chars().take(200).collect())
        })
    }

    /// The reason for output that is no answer.
    fn misunderstood(&self, output: &str) -> Reason {
        let solver = self.config.command.clone();
        let short: String = output.trim().chars().take(200).collect();
        let lower = short.to_lowercase();
        if lower.contains("out of memory") || lower.contains("bad_alloc") {
            Reason::Memory
        } else if short.starts_with("(error") {
            Reason::Unsupported(format!("{solver}: {short}"))
        } else {
            Reason::Nonsense { solver, output: short }
        }
    }
}

impl Backend for Process {
    fn name(&self) -> String {
        self.config.command.clone()
    }

    fn solve(
        &mut self,
        pool: &TermPool,
        query: &Query<'_>,
        limits: &Limits,
        stop: &Stop,
    ) -> Answer {
        self.converse(pool, query, limits, stop).unwrap_or_else(Answer::Unknown)
    }
}

impl Decide for Process {
    fn decide(&mut self, pool: &mut TermPool, query: &Query<'_>, limits: &Limits) -> Answer {
        self.solve(pool, query, limits, &Stop::new())
    }
}

/// The applications of functions in a query, whose values make up the functions' tables.
fn calls_of(pool: &TermPool, query: &Query<'_>) -> Vec<TermId> {
    let terms = pool.sub_terms(&query.all());
    terms.into_iter().filter(|t| matches!(pool.op(*t), Op::Apply(_))).collect()
}
