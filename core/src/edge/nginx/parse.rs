//! One file to directives.

use std::sync::Arc;

use super::lex::{End, LexError, Lexer, Token};
use super::{Body, Directive, Word};
use crate::diagnostic::{Diagnostic, Findings, Place, Source};
use crate::edge::codes;

/// How deep blocks may stand in each other; a configuration that people write has about six levels.
pub const MAX_DEPTH: usize = 64;

/// The directives of one file, includes not resolved.
///
/// At the first fault (`edge/nginx-syntax`, `edge/nginx-budget`) reading stops, as nginx does; what was read so far is the answer.
pub fn parse(source: &Arc<Source>, findings: &mut Findings) -> Vec<Directive> {
    let mut lexer = Lexer::new(source.text());
    let mut tree = Tree { source, open: Vec::new(), current: Vec::new() };
    loop {
        match tree.statement(&mut lexer) {
            Ok(true) => {}
            Ok(false) => break,
            Err(fault) => {
                findings.push(*fault.0);
                break;
            }
        }
    }
    tree.finish()
}

/// What ends the reading of a file.
struct Fault(Box<Diagnostic>);

impl From<Diagnostic> for Fault {
    fn from(diagnostic: Diagnostic) -> Self {
        Self(Box::new(diagnostic))
    }
}

/// A directive whose block is not closed yet, with what stood beside it before.
struct Open {
    directive: Directive,
    before: Vec<Directive>,
}

struct Tree<'s> {
    source: &'s Arc<Source>,
    open: Vec<Open>,
    current: Vec<Directive>,
}

impl Tree<'_> {
    /// Reads one statement; false at the end of the file.
    fn statement(&mut self, lexer: &mut Lexer<'_>) -> Result<bool, Fault> {
        let statement = lexer.statement().map_err(|error| self.syntax(error))?;
        match statement.end {
            End::Semicolon => {
                let directive = self.directive(statement.words);
                self.current.extend(directive);
            }
            End::Open => {
                if let Some(directive) = self.directive(statement.words) {
                    self.block(directive, lexer)?;
                }
            }
            End::Close => {
                if self.open.is_empty() {
                    return Err(self.syntax(LexError {
                        message: "unexpected \"}\"".to_owned(),
                        range: statement.at,
                        help: "remove the brace, or open the block that it should close",
                    }));
                }
                self.close();
            }
            End::File => {
                if let Some(Open { directive, .. }) = self.open.last() {
                    let place = directive.place.clone().unwrap_or_else(|| self.source.whole());
                    return Err(Fault::from(
                        Diagnostic::error(codes::NGINX_SYNTAX, "unexpected end of file, expecting \"}\"")
                            .at(place, "this block is not closed")
                            .help("close the block with `}`"),
                    ));
                }
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn block(&mut self, mut directive: Directive, lexer: &mut Lexer<'_>) -> Result<(), Fault> {
        if directive.name.as_str().ends_with("_by_lua_block") {
            let body = lexer.lua().map_err(|error| self.syntax(error))?;
            directive.body = Body::Raw(body.into());
            self.current.push(directive);
            return Ok(());
        }
        let name = directive.name.as_str();
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            let place = directive.place.clone().unwrap_or_else(|| self.source.whole());
            return Err(Fault::from(
                Diagnostic::error(codes::NGINX_SYNTAX, format!("unknown directive \"{}\"", name.escape_debug()))
                    .at(place, "no block has such a name")
                    .help("end the directive before it with `;`; put a regular expression that has a `{` into quotes"),
            ));
        }
        if self.open.len() >= MAX_DEPTH {
            let place = directive.place.clone().unwrap_or_else(|| self.source.whole());
            return Err(Fault::from(
                Diagnostic::error(codes::NGINX_BUDGET, format!("blocks stand in each other {MAX_DEPTH} deep"))
                    .at(place, "this one is too deep")
                    .help("flatten the configuration; a block inside a block rarely needs more than six levels"),
            ));
        }
        self.open.push(Open { directive, before: std::mem::take(&mut self.current) });
        Ok(())
    }

    fn close(&mut self) {
        if let Some(Open { mut directive, before }) = self.open.pop() {
            directive.body = Body::Block(std::mem::replace(&mut self.current, before));
            self.current.push(directive);
        }
    }

    fn finish(mut self) -> Vec<Directive> {
        while !self.open.is_empty() {
            self.close();
        }
        self.current
    }

    fn directive(&self, words: Vec<Token>) -> Option<Directive> {
        let place = self.place(words.first()?, words.last()?);
        let mut values = words.into_iter().map(|word| Word::made(&*word.value));
        let name = values.next()?;
        Some(Directive { name, arguments: values.collect(), body: Body::Simple, place: Some(place) })
    }

    /// From the first word to the last one that stands on its line.
    fn place(&self, first: &Token, last: &Token) -> Place {
        let range = first.range.start..last.range.end;
        let text = self.source.text().get(range.clone()).unwrap_or_default();
        let line = text.split(['\r', '\n']).next().unwrap_or(text).trim_end();
        self.source.place(range.start..range.start + line.len())
    }

    fn syntax(&self, error: LexError) -> Fault {
        Fault::from(
            Diagnostic::error(codes::NGINX_SYNTAX, error.message)
                .at(self.source.place(error.range), "nginx stops here")
                .help(error.help),
        )
    }
}
