//! Workers that fail, for tests: in debug builds `VERDIFF_TEST_WORKER=crash:f,hang:g,memory:h` makes the worker that is
//! given the pair `f` crash, and so on. Release builds do not have this.

use std::io::{BufRead, BufReader, Cursor, Read};
use std::time::Duration;
use verdiff_plan::job::Job;

const VARIABLE: &str = "VERDIFF_TEST_WORKER";

/// The worker's input, on which it comes to grief if it is told to.
pub fn input<'a>(jobs: impl BufRead + 'a) -> Box<dyn BufRead + 'a> {
    match std::env::var(VARIABLE) {
        Err(_) => Box::new(jobs),
        Ok(orders) => {
            let orders = orders.split(',').filter_map(|o| o.split_once(':'));
            let orders = orders.map(|(deed, name)| (deed.to_owned(), name.to_owned())).collect();
            let line = Cursor::new(vec![]);
            Box::new(BufReader::new(Saboteur { jobs, line, names: vec![], orders }))
        }
    }
}

struct Saboteur<R> {
    jobs: R,
    line: Cursor<Vec<u8>>,
    names: Vec<String>,
    orders: Vec<(String, String)>,
}

impl<R: BufRead> Read for Saboteur<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.line.position() as usize == self.line.get_ref().len() {
            let mut line = vec![];
            self.jobs.read_until(b'\n', &mut line)?;
            self.look_at(&line);
            self.line = Cursor::new(line);
        }
        self.line.read(buffer)
    }
}

impl<R> Saboteur<R> {
    fn look_at(&mut self, line: &[u8]) {
        let Ok(job) = serde_json::from_slice::<Job>(line) else { return };
        if let Some(comparison) = &job.comparison {
            self.names = comparison.pairs.iter().map(|p| p.function.clone()).collect();
        }
        let name = &self.names[job.pair.index()];
        match self.orders.iter().find(|(_, of)| of == name).map(|(deed, _)| deed.as_str()) {
            Some("crash") => std::process::abort(),
            Some("panic") => panic!("injected fault"),
            Some("memory") => drop(Vec::<u8>::with_capacity(isize::MAX as usize / 2)),
            Some("hang") => loop {
                std::thread::sleep(Duration::from_secs(1));
            },
            _ => {}
        }
    }
}
