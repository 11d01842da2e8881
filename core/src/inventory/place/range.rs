//! Host patterns as Ansible's inventory plugins expand them: `n[1:3]`, `n[01:10:2]`, `rack[a:c]-n[1:2]`, each with a port or none.

/// How many hosts a pattern may stand for. Ansible has a name in memory for each; who writes more has made a slip.
const MOST: usize = 100_000;

/// The hosts that a pattern stands for, in its order; none if it is no pattern.
pub(super) fn hosts(pattern: &str) -> Vec<String> {
    let name = without_port(pattern.trim());
    let mut hosts = Vec::new();
    let mut left = MOST;
    match expand(name, &mut hosts, &mut left) {
        Some(()) => hosts,
        None => Vec::new(),
    }
}

/// The pattern without `:port`, and without the brackets that an address with a port stands in.
fn without_port(pattern: &str) -> &str {
    let Some((host, port)) = pattern.rsplit_once(':') else { return pattern };
    if port.is_empty() || !port.bytes().all(|byte| byte.is_ascii_digit()) {
        return pattern;
    }
    if let Some(inner) = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return inner;
    }
    // Outside brackets a port follows the only colon; an address of IPv6 has several.
    let mut depth = 0usize;
    let bare = host.chars().all(|c| {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c != ':' || depth > 0
    });
    if bare && depth == 0 { host } else { pattern }
}

/// Expands the first range, then what follows it. `None` for what is no range.
fn expand(name: &str, hosts: &mut Vec<String>, left: &mut usize) -> Option<()> {
    let Some((head, rest)) = name.split_once('[') else {
        *left = left.checked_sub(1)?;
        hosts.push(name.to_owned());
        return Some(());
    };
    let (range, tail) = rest.split_once(']')?;
    for part in Range::parse(range)?.parts() {
        expand(&format!("{head}{part}{tail}"), hosts, left)?;
    }
    Some(())
}

/// What stands between brackets.
#[derive(Debug)]
enum Range {
    Numbers { first: u64, last: u64, step: usize, width: usize },
    Letters { first: usize, last: usize, step: usize },
}

const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

impl Range {
    fn parse(text: &str) -> Option<Self> {
        let mut bounds = text.split(':');
        let first = match bounds.next()? {
            "" => "0",
            first => first,
        };
        let last = bounds.next().filter(|last| !last.is_empty())?;
        let step = match bounds.next() {
            None => 1,
            Some(step) => step.parse().ok().filter(|step| *step > 0)?,
        };
        if bounds.next().is_some() {
            return None;
        }
        if let (Some(first), Some(last)) = (letter(first), letter(last)) {
            return (first <= last).then_some(Self::Letters { first, last, step });
        }
        let padded = first.starts_with('0') && first.len() > 1;
        if padded && first.len() != last.len() {
            return None;
        }
        let width = if padded { first.len() } else { 0 };
        Some(Self::Numbers { first: first.parse().ok()?, last: last.parse().ok()?, step, width })
    }

    fn parts(&self) -> Box<dyn Iterator<Item = String>> {
        match *self {
            Self::Numbers { first, last, step, width } => {
                Box::new((first..=last).step_by(step).map(move |number| format!("{number:0width$}")))
            }
            Self::Letters { first, last, step } => Box::new(
                (first..=last).step_by(step).filter_map(|at| LETTERS.get(at).map(|byte| char::from(*byte).to_string())),
            ),
        }
    }
}

fn letter(text: &str) -> Option<usize> {
    match text.as_bytes() {
        [byte] => LETTERS.iter().position(|letter| letter == byte),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::hosts;

    #[test]
    fn patterns_stand_for_hosts() {
        for (pattern, expected) in [
            ("n1", "n1"),
            ("n1:2222", "n1"),
            ("n[1:3]", "n1 n2 n3"),
            ("n[1:3]:2222", "n1 n2 n3"),
            ("n[08:11]", "n08 n09 n10 n11"),
            ("n[01:07:3]", "n01 n04 n07"),
            ("n[:2]", "n0 n1 n2"),
            ("n[a:c]", "na nb nc"),
            ("n[y:B]", "ny nz nA nB"),
            ("r[a:b]-n[1:2].example", "ra-n1.example ra-n2.example rb-n1.example rb-n2.example"),
            ("192.0.2.[1:2]", "192.0.2.1 192.0.2.2"),
            ("2001:db8::10", "2001:db8::10"),
            ("[2001:db8::10]:22", "2001:db8::10"),
            ("n[3:1]", ""),
            ("n[c:a]", ""),
            ("n[01:100]", ""),
            ("n[1:]", ""),
            ("n[1]", ""),
            ("n[1:2:0]", ""),
            ("n[1:2:3:4]", ""),
            ("n[1:3", ""),
            ("n[1:999999999]", ""),
        ] {
            assert_eq!(hosts(pattern).join(" "), expected, "{pattern}");
        }
    }
}
