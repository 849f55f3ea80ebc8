//! The ladder: imports only go down, siblings form no cycle.

use crate::source::{Breach, Named, Source};
use std::collections::{BTreeMap, BTreeSet};

/// The modules of the crate, ground floor first. Modules of one floor never see each other.
const LADDER: [&[&str]; 7] =
    [&["domain"], &["ports"], &["render"], &["app", "adapters"], &["web"], &["config"], &["cli"]];

/// The files and folders of the domain, in the order in which they may be imported.
const DOMAIN: [&str; 17] = [
    "text", "ids", "contract", "plan", "rollup", "detect", "finding", "rules", "reply", "event", "command", "record",
    "view", "effect", "run", "gates", "restore",
];

fn floor(module: &str) -> Option<usize> {
    LADDER.iter().position(|floor| floor.contains(&module))
}

/// Imports between the modules of the crate only go down, and each names a module.
pub fn between_modules(sources: &[Source]) -> Vec<Breach> {
    each_name(sources, |source, name, target| {
        let module = source.module();
        let own = module.first()?;
        let other = target.first().map_or("the whole crate", String::as_str);
        if other == own {
            return None;
        }
        let own_floor = floor(own).unwrap_or_else(|| panic!("{}: `{own}` is no module of the ladder", source.path));
        match floor(other) {
            None => Some(format!("`{}` names no module of the ladder", name.segments.join("::"))),
            Some(floor) if floor < own_floor => None,
            Some(floor) if floor == own_floor => Some(format!("`{own}` and `{other}` never see each other")),
            Some(_) => Some(format!("`{own}` stands below `{other}`; imports only go down")),
        }
    })
}

/// Inside the domain, files import in the listed order.
pub fn inside_domain(sources: &[Source]) -> Vec<Breach> {
    each_name(sources, |source, name, target| {
        let module = source.module();
        if target.first().is_none_or(|first| first != "domain") {
            return None;
        }
        let inside = module.first().is_some_and(|first| first == "domain");
        let Some(other) = target.get(1) else {
            return inside.then(|| "`domain` as a whole: name the module that is meant".to_owned());
        };
        let Some(other_place) = DOMAIN.iter().position(|place| place == other) else {
            let path = name.segments.join("::");
            return Some(format!("`{path}`: `domain` has no module `{other}` in its order; name one of {DOMAIN:?}"));
        };
        let own = module.get(1).filter(|_| inside)?;
        let own_place = DOMAIN
            .iter()
            .position(|place| place == own)
            .unwrap_or_else(|| panic!("{}: `{own}` has no place in the order of the domain", source.path));
        (other_place > own_place).then(|| format!("`{own}` stands before `{other}`; the order is {DOMAIN:?}"))
    })
}

fn each_name(sources: &[Source], judge: impl Fn(&Source, &Named, &[String]) -> Option<String>) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for source in sources {
        for name in source.names() {
            let Some(target) = name.in_crate() else { continue };
            breaches.extend(judge(source, &name, &target).map(|what| Breach::new(&source.path, name.line, what)));
        }
    }
    breaches
}

/// Where one sibling uses another: file and line of the first use.
type Edges<'a> = BTreeMap<(String, String), (&'a str, usize)>;

/// At every level of the tree, the files and folders that stand side by side form no cycle.
/// A use of the parent's own items is none; a name that the parent passes on counts as a use of the child it comes from.
pub fn no_cycle(sources: &[Source]) -> Vec<Breach> {
    let modules: BTreeMap<Vec<String>, &Source> =
        sources.iter().filter(|source| !source.is_tests()).map(|source| (source.module(), source)).collect();
    let mut levels: BTreeMap<Vec<String>, Edges> = BTreeMap::new();
    for (module, source) in &modules {
        for name in source.names().iter().filter(|name| !name.test) {
            let Some(target) = name.in_crate() else { continue };
            let target = resolve(&modules, &target);
            let common = module.iter().zip(&target).take_while(|(own, other)| own == other).count();
            if let (Some(own), Some(other)) = (module.get(common), target.get(common)) {
                let edges = levels.entry(module[..common].to_vec()).or_default();
                edges.entry((own.clone(), other.clone())).or_insert((&source.path, name.line));
            }
        }
    }
    levels.values().filter_map(cycle).collect()
}

/// The module that an item comes from, re-exports followed.
fn resolve(modules: &BTreeMap<Vec<String>, &Source>, target: &[String]) -> Vec<String> {
    let mut module = Vec::new();
    for segment in target {
        let mut child = module.clone();
        child.push(segment.clone());
        if modules.contains_key(&child) {
            module = child;
            continue;
        }
        let Some(source) = modules.get(&module) else { break };
        let origin = source.names().into_iter().filter(|name| name.exported).find_map(|name| {
            let first = name.segments.iter().find(|segment| *segment != "self")?.clone();
            let mut origin = module.clone();
            origin.push(first);
            let from = modules.get(&origin)?;
            let last = name.segments.last()?;
            (last == segment || (last == "*" && declares(from, segment))).then_some(origin)
        });
        match origin {
            Some(origin) => module = origin,
            None => break,
        }
    }
    module
}

fn declares(source: &Source, item: &str) -> bool {
    const ITEMS: [&str; 8] = ["struct", "enum", "trait", "type", "fn", "const", "static", "mod"];
    (1..source.tokens.len())
        .any(|at| source.word(at) == Some(item) && source.word(at - 1).is_some_and(|before| ITEMS.contains(&before)))
}

fn cycle(edges: &Edges) -> Option<Breach> {
    let nodes: BTreeSet<&String> = edges.keys().map(|(from, _)| from).collect();
    for start in nodes {
        // The shortest way back to the start, breadth first.
        let mut ways: Vec<Vec<&String>> = vec![vec![start]];
        let mut seen = BTreeSet::new();
        while !ways.is_empty() {
            let mut further = Vec::new();
            for way in ways {
                let last = way[way.len() - 1];
                for ((from, to), (path, line)) in edges {
                    if from != last {
                        continue;
                    }
                    let next = [&way[..], &[to]].concat();
                    if to == start {
                        let names: Vec<&str> = next.iter().map(|name| name.as_str()).collect();
                        return Some(Breach::new(path, *line, format!("a cycle: {}", names.join(" → "))));
                    }
                    if seen.insert(to) {
                        further.push(next);
                    }
                }
            }
            ways = further;
        }
    }
    None
}
