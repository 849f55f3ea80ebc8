//! Cycles of a graph of dependencies, in time linear in its edges.

use std::collections::VecDeque;

/// One cycle for each group of nodes that reach each other: the shortest through its smallest node. Edges that lead
/// nowhere or to their own node are left out.
pub(super) fn cycles(edges: &[&[usize]]) -> Vec<Vec<usize>> {
    let group = groups(edges);
    let mut told = vec![false; edges.len()];
    let mut found = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; edges.len()];
    for start in 0..edges.len() {
        if std::mem::replace(&mut told[group[start]], true) {
            continue;
        }
        let mut queue = VecDeque::from([start]);
        let mut last = None;
        'search: while let Some(node) = queue.pop_front() {
            for next in edges[node].iter().copied().filter(|next| group.get(*next) == Some(&group[start])) {
                if next == start && node != start {
                    last = Some(node);
                    break 'search;
                }
                if next != start && before[next].is_none() {
                    before[next] = Some(node);
                    queue.push_back(next);
                }
            }
        }
        if let Some(last) = last {
            let mut path = vec![start, last];
            while let Some(node) = path.last().and_then(|node| before[*node]).filter(|node| *node != start) {
                path.push(node);
            }
            path.push(start);
            path.reverse();
            found.push(path);
        }
    }
    found
}

/// Nodes that reach each other get the same group (Tarjan's algorithm, without recursion).
fn groups(edges: &[&[usize]]) -> Vec<usize> {
    const NONE: usize = usize::MAX;
    let count = edges.len();
    let (mut order, mut low, mut group) = (vec![NONE; count], vec![NONE; count], vec![NONE; count]);
    let mut next_order = 0;
    let mut next_group = 0;
    let mut open: Vec<usize> = Vec::new();
    for root in 0..count {
        if order[root] != NONE {
            continue;
        }
        let mut calls: Vec<(usize, usize)> = vec![(root, 0)];
        while let Some((node, edge)) = calls.last_mut() {
            let node = *node;
            if order[node] == NONE {
                order[node] = next_order;
                low[node] = next_order;
                next_order += 1;
                open.push(node);
            }
            if let Some(target) = edges[node].get(*edge).copied() {
                *edge += 1;
                if target >= count {
                    continue;
                }
                if order[target] == NONE {
                    calls.push((target, 0));
                } else if group[target] == NONE {
                    low[node] = low[node].min(order[target]);
                }
                continue;
            }
            calls.pop();
            if let Some((parent, _)) = calls.last() {
                low[*parent] = low[*parent].min(low[node]);
            }
            if low[node] == order[node] {
                while let Some(member) = open.pop() {
                    group[member] = next_group;
                    if member == node {
                        break;
                    }
                }
                next_group += 1;
            }
        }
    }
    group
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(edges: &[&[usize]], expect: &[&[usize]]) {
        assert_eq!(cycles(edges), expect, "{edges:?}");
    }

    #[test]
    fn each_group_gives_its_shortest_cycle() {
        check(&[], &[]);
        check(&[&[], &[0], &[1, 0]], &[]);
        check(&[&[1], &[0]], &[&[0, 1, 0]]);
        check(&[&[2], &[], &[0]], &[&[0, 2, 0]]);
        check(&[&[1], &[2], &[0, 1]], &[&[0, 1, 2, 0]]);
        check(&[&[1], &[0], &[3], &[2]], &[&[0, 1, 0], &[2, 3, 2]]);
        check(&[&[1], &[2], &[3], &[1]], &[&[1, 2, 3, 1]]);
        check(&[&[0, 9], &[0]], &[]);
    }

    #[test]
    fn long_chains_end_soon() {
        let count = 200_000;
        let edges: Vec<Vec<usize>> = (0..count).map(|node| vec![(node + 1) % count]).collect();
        let edges: Vec<_> = edges.iter().map(Vec::as_slice).collect();
        let found = cycles(&edges);
        assert_eq!((found.len(), found[0].len()), (1, count + 1));
    }

    proptest::proptest! {
        #[test]
        fn a_cycle_is_a_path_of_the_graph(edges in proptest::collection::vec(proptest::collection::vec(0_usize..12, 0..4), 0..12)) {
            let edges: Vec<_> = edges.iter().map(Vec::as_slice).collect();
            for path in cycles(&edges) {
                proptest::prop_assert!(path.len() > 2 && path.first() == path.last());
                proptest::prop_assert!(path.windows(2).all(|two| edges[two[0]].contains(&two[1])));
            }
        }
    }
}
