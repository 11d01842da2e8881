//! How the file is written.

use super::{Accept, Case, Reject, Warn, World, pem};

fn replace(text: &[u8], from: &str, to: &str) -> Vec<u8> {
    String::from_utf8(text.to_vec()).unwrap().replace(from, to).into_bytes()
}

fn trimmed(text: &[u8]) -> &[u8] {
    text.trim_ascii_end()
}

/// The block with its base64 on one line.
fn wide(block: &[u8]) -> Vec<u8> {
    let text = String::from_utf8(block.to_vec()).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let [first, body @ .., last] = lines.as_slice() else { panic!("a block has marks") };
    format!("{first}\n{}\n{last}\n", body.concat()).into_bytes()
}

pub(super) fn cases(world: &World) -> Vec<Case> {
    let (leaf, middle) = (pem(&[&world.good]), pem(&[&world.middle]));
    let both = [leaf.clone(), middle.clone()].concat();
    let case = |name, what, policy, parts: &[&[u8]]| world.bytes(name, what, policy, parts.concat());
    let relabelled = |label: &str| replace(&leaf, " CERTIFICATE", label);
    let indented: String = std::str::from_utf8(&both).unwrap().lines().flat_map(|line| ["  ", line, "\n"]).collect();
    let damaged = String::from_utf8(leaf.clone()).unwrap().replacen('M', "!", 3).into_bytes();
    let mark: &[u8] = b"\xef\xbb\xbf";
    vec![
        case("pem_crlf", "CRLF line ends", Accept, &[&replace(&both, "\n", "\r\n")]),
        case("pem_cr_only", "CR line ends", Reject, &[&replace(&both, "\n", "\r")]),
        case("pem_bom", "a byte order mark before the first block", Warn, &[mark, &both]),
        case("pem_bom_newline", "a byte order mark on a line of its own", Warn, &[mark, b"\n", &both]),
        case(
            "pem_leading_text",
            "text before the block",
            Accept,
            &[b"Bag Attributes\n    friendlyName: x\nsubject=CN = a\n", &both],
        ),
        case("pem_trailing_garbage", "text after the last block", Accept, &[&both, b"trailing words\n"]),
        case("pem_no_final_newline", "no newline at the end", Accept, &[trimmed(&both)]),
        case("pem_glued", "END and BEGIN on one line", Reject, &[trimmed(&leaf), &middle]),
        case("pem_truncated", "the second block is cut", Reject, &[&leaf, &middle[..middle.len() / 2]]),
        case("pem_bad_base64", "damaged base64 in the leaf", Reject, &[&damaged, &middle]),
        case("pem_trusted", "BEGIN TRUSTED CERTIFICATE", Warn, &[&relabelled(" TRUSTED CERTIFICATE"), &middle]),
        case("pem_x509_label", "BEGIN X509 CERTIFICATE", Warn, &[&relabelled(" X509 CERTIFICATE"), &middle]),
        case("pem_indented", "every line indented", Reject, &[indented.as_bytes()]),
        case("pem_wide_lines", "base64 on one line", Accept, &[&wide(&leaf), &middle]),
        case("der", "DER in place of PEM", Reject, &[&world.good.to_der().unwrap()]),
        case("empty", "an empty file", Reject, &[]),
        case(
            "only_key",
            "the key file in place of the chain",
            Reject,
            &[&world.key.private_key_to_pem_pkcs8().unwrap()],
        ),
    ]
}
