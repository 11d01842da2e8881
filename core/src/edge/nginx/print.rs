//! From directives to text: the one place where nginx's language is written.

use super::{Body, Directive, Quoted};

/// Columns of a line, beyond which a directive with several arguments has one of them a line.
const WIDTH: usize = 120;

/// The text of the directives: four spaces a level, an empty line around each block of the first level.
pub fn print(directives: &[Directive]) -> String {
    let mut out = String::new();
    print_to(&mut out, directives);
    out
}

/// The same, after a text.
pub fn print_to(out: &mut String, directives: &[Directive]) {
    let mut after_block = None;
    for directive in directives {
        let is_block = !matches!(directive.body, Body::Simple);
        if after_block.is_some_and(|after_block| is_block || after_block) {
            out.push('\n');
        }
        write(out, directive, 0);
        after_block = Some(is_block);
    }
}

fn write(out: &mut String, directive: &Directive, depth: usize) {
    indent(out, depth);
    Quoted(directive.name.as_str()).write_to(out);
    let width: usize = directive.arguments.iter().map(|argument| argument.as_str().len() + 1).sum();
    let broken = directive.arguments.len() > 2 && width > WIDTH;
    for argument in &directive.arguments {
        if broken {
            out.push('\n');
            indent(out, depth + 1);
        } else {
            out.push(' ');
        }
        Quoted(argument.as_str()).write_to(out);
    }
    match &directive.body {
        Body::Simple => out.push_str(";\n"),
        Body::Raw(text) => {
            out.push_str(" {");
            out.push_str(text);
            out.push_str("}\n");
        }
        Body::Block(children) => {
            out.push_str(" {\n");
            for child in children {
                write(out, child, depth + 1);
            }
            indent(out, depth);
            out.push_str("}\n");
        }
    }
}

fn indent(out: &mut String, depth: usize) {
    for _ in 0..depth {
        out.push_str("    ");
    }
}

#[cfg(test)]
mod tests {
    use super::print;
    use crate::edge::nginx::{Body, Directive, Word};

    const LONG: &str = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";

    #[test]
    fn directives_are_laid_out() {
        let word = Word::expression;
        let location = Directive::block(
            "location",
            vec![word("="), word("/a b")],
            vec![Directive::simple("return", vec![word("200"), word("a; }\n")])],
        );
        let mut lua = Directive::simple("content_by_lua_block", vec![]);
        lua.body = Body::Raw(" ngx.say(\"}\") ".into());
        let server =
            Directive::block("server", vec![], vec![Directive::simple("listen", vec![word("80")]), location, lua]);
        let empty = Directive::block("types", vec![], vec![]);
        let long =
            Directive::simple("log_format", ["a", "\"$uri\""].map(word).into_iter().chain([word(LONG)]).collect());
        let text = print(&[Directive::simple("user", vec![word("www-data")]), server, empty, long]);
        insta::assert_snapshot!(text, @r#"
        user www-data;

        server {
            listen 80;
            location = "/a b" {
                return 200 "a; }\n";
            }
            content_by_lua_block { ngx.say("}") }
        }

        types {
        }

        log_format
            a
            '"$uri"'
            xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx;
        "#);
    }
}
