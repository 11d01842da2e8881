//! Taints: `key=value:Effect` or `key:Effect`, each once a host.

use serde_json::Value;

use super::super::judge::{Fault, Judge, unquoted};
use super::super::quick::Set;
use super::super::{Taint, TaintEffect, codes};
use super::label::{is_key, is_value};

const VARIABLE: &str = "node_taints";

/// The taints of all nodes, in their order.
pub(in super::super) fn judge(judge: &mut Judge<'_>) -> Vec<Vec<Taint>> {
    judge.nodes().into_iter().map(|(host, facts)| taints(judge, host, &facts.taints)).collect()
}

fn taints<'a>(judge: &mut Judge<'a>, host: &'a str, value: &'a Value) -> Vec<Taint> {
    let mut taints = Vec::new();
    let items = match value {
        Value::Null => return taints,
        Value::Array(items) => items,
        other => {
            let place = judge.at_variable(host, VARIABLE, &[]);
            let example = "write a list: `node_taints: [\"dedicated=storage:NoSchedule\"]`";
            let help = unquoted(other, example.to_owned());
            judge.fault(host, Fault::error(codes::TAINT, "`node_taints` is no list", help).at(place));
            return taints;
        }
    };
    // Without an entry for the first: most hosts have no other one.
    let mut seen = Set::default();
    for (number, item) in items.iter().enumerate() {
        let at = number.to_string();
        let Some(taint) = item.as_str().and_then(parse) else {
            let place = judge.at_variable(host, VARIABLE, &[&at]);
            let help = "write `key=value:Effect` or `key:Effect`; the effect is `NoSchedule`, `PreferNoSchedule` or `NoExecute`";
            judge.fault(host, Fault::error(codes::TAINT, "an item of `node_taints` is no taint", help).at(place));
            continue;
        };
        let twice =
            taints.first().is_some_and(|first: &Taint| (&first.key, first.effect) == (&taint.key, taint.effect));
        if twice || (!taints.is_empty() && !seen.insert((taint.key.clone(), taint.effect))) {
            let what = format!("`{}` with effect `{}` stands twice in `node_taints`", taint.key, taint.effect);
            let place = judge.at_variable(host, VARIABLE, &[&at]);
            let help = "keep one of them: a node has one taint of a key and effect";
            judge.fault(host, Fault::error(codes::DUPLICATE_TAINT, what, help).at(place));
            continue;
        }
        taints.push(taint);
    }
    taints
}

fn parse(text: &str) -> Option<Taint> {
    let (rest, effect) = text.rsplit_once(':')?;
    let (key, value) = rest.split_once('=').unwrap_or((rest, ""));
    let effect = match effect {
        "NoSchedule" => TaintEffect::NoSchedule,
        "PreferNoSchedule" => TaintEffect::PreferNoSchedule,
        "NoExecute" => TaintEffect::NoExecute,
        _ => return None,
    };
    (is_key(key) && is_value(value)).then(|| Taint { key: key.to_owned(), value: value.to_owned(), effect })
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn a_taint_is_read_as_it_is_written() {
        for text in ["dedicated=storage:NoSchedule", "node-role.kubernetes.io/control-plane:NoSchedule", "a:NoExecute"]
        {
            assert_eq!(parse(text).unwrap().to_string(), text);
        }
        assert_eq!(parse("a=:PreferNoSchedule").unwrap().to_string(), "a:PreferNoSchedule");
        for text in ["", "a", "a=b", "a=b:noschedule", "=b:NoSchedule", "a=b c:NoSchedule", "a=b=c:NoSchedule"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
