//! How directives are said in this room.

/// A simple directive: its name, then words. A text is a word of this program; everything else is data whose type excludes
/// what no word may hold.
macro_rules! directive {
    ($name:literal $(, $word:expr)* $(,)?) => {
        $crate::edge::nginx::Directive::simple($name, vec![$($crate::edge::nginx::Word::from($word)),*])
    };
}

pub(super) use directive;
