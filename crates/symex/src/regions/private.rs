//! Regions that only one running instance of one procedure can reach.

use super::collect::{Collector, StorageKind};
use super::points::Holder;
use super::{RegionId, RegionInfo};

/// Who can reach a region.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Reach<'a> {
    /// Nobody that was seen yet.
    Nobody,
    /// Variables of this procedure, but no parameter or result.
    Only(&'a str),
    /// Others.
    Many,
}

impl<'a> Reach<'a> {
    fn add(&mut self, name: &'a str) {
        match self {
            Reach::Nobody => *self = Reach::Only(name),
            Reach::Only(other) if *other == name => {}
            _ => *self = Reach::Many,
        }
    }
}

/// Marks the regions that are private. A region is private to a procedure if all its objects
/// are made by it, and only its own variables (no parameter or result of anything) and
/// other regions private to it hold addresses in it. Values pass from one
/// running instance to another only by parameters, results and memory, so each has its own.
pub(super) fn mark(
    collector: &Collector<'_, '_>,
    region: &[Option<RegionId>],
    infos: &mut [RegionInfo],
) {
    let names = &collector.names.procedures;
    let points = &collector.points;
    let pointed = |holder: Holder| points.known(holder).and_then(|to| region[points.region(to)]);
    let mut reach = vec![Reach::Nobody; infos.len()];
    reach[RegionId::OUTSIDE.index()] = Reach::Many;
    for (side, program) in collector.programs.iter().enumerate() {
        for procedure in program.procedure_ids() {
            let name = names[side][procedure.index()].as_str();
            for var in &collector.sides[side].procedures[procedure.index()].vars {
                if let Some(id) = pointed(*var) {
                    reach[id.index()].add(name);
                }
            }
            let (params, results) = collector.interface(side, procedure);
            for holder in params.into_iter().chain(results) {
                if let Some(id) = pointed(holder) {
                    reach[id.index()] = Reach::Many;
                }
            }
        }
    }
    for object in &collector.objects {
        let owner = match &object.kind {
            StorageKind::Global { .. } => None,
            StorageKind::Local { procedure, .. } | StorageKind::Heap { procedure } => {
                Some(procedure.as_str())
            }
        };
        let Some(id) = region[points.region(object.target)] else { continue };
        match owner {
            Some(name) => reach[id.index()].add(name),
            None => reach[id.index()] = Reach::Many,
        }
    }
    // Whatever can be reached from a region that is not private to the same procedure is not
    // private either.
    let mut work: Vec<RegionId> = (0..infos.len()).map(RegionId::new).collect();
    while let Some(id) = work.pop() {
        let here = reach[id.index()].clone();
        for target in &infos[id.index()].contents {
            let before = reach[target.index()].clone();
            match here {
                Reach::Nobody => {}
                Reach::Only(name) => reach[target.index()].add(name),
                Reach::Many => reach[target.index()] = Reach::Many,
            }
            if reach[target.index()] != before {
                work.push(*target);
            }
        }
    }
    for (info, reach) in infos.iter_mut().zip(reach) {
        if let Reach::Only(name) = reach {
            info.private_to = Some(name.to_owned());
            info.locals_only = !info.heap;
        }
    }
}
