//! nginx's own lexer reads each printed word back as it was meant.

use pharos_core::edge::nginx::{Directive, Word};

use super::SERIES;
use super::bed::{self, Nginx};
use super::client::plain;

const ODD: [&str; 14] = [
    "plain",
    "a b",
    "a;b",
    "a{b}c",
    "}",
    "#a",
    "a#b",
    r#"say "a""#,
    "it's",
    r#"both " and '"#,
    r"a\b\\c",
    r"ends in \",
    r#"\" \' \n \t"#,
    "é — (a) [b] |c| ~^*",
];

#[test]
fn nginx_reads_every_word_as_it_was_meant() {
    bed::enter();
    for series in SERIES {
        let locations = ODD.iter().enumerate().map(|(index, text)| {
            let path = Word::literal(&format!("/{index}")).unwrap();
            let answer = Directive::simple("return", vec!["200".into(), Word::literal(text).unwrap()]);
            Directive::block("location", vec!["=".into(), path], vec![answer])
        });
        let mut block = vec![Directive::simple("listen", vec!["80".into()])];
        block.extend(locations);
        let server = Directive::block("server", vec![], block);
        let _nginx = Nginx::new(series, "", &[("words.conf", vec![server])]).start(80);
        for (index, text) in ODD.iter().enumerate() {
            assert_eq!(plain("localhost", &format!("/{index}")).body, *text, "nginx {series}");
        }
    }
}
