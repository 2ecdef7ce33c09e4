//! The types of groups of texts, made from one entry per text.

/// Word, or complete sentence without parameters, in the language of a table.
pub(crate) type Word = &'static str;

/// Generates types whose fields are texts, each with the constants `EN` and `ZH`.
///
/// A field is a [`Word`], unless it has parameters, which its texts insert and which make it a function, or a type of its own.
macro_rules! words {
    ($($(#[$doc:meta])* $group:ident {
        $($(#[$about:meta])* $name:ident $(($($param:ident),*))? $(: $ty:ty)? = $en:expr, $zh:expr;)*
    })*) => {
        $($(#[$doc])*
        pub(crate) struct $group {
            $($(#[$about])* pub $name: super::table::type_of!($(($($param),*))? $($ty)?),)*
        }

        impl $group {
            pub(super) const EN: $group =
                $group { $($name: super::table::text!($(($($param),*))? $en),)* };
            pub(super) const ZH: $group =
                $group { $($name: super::table::text!($(($($param),*))? $zh),)* };
        })*
    };
}

/// Generates the type of a text: a word, a function of its parameters, or the given type.
macro_rules! type_of {
    () => { Word };
    (($($param:ident),*)) => { fn($($param: &str),*) -> String };
    ($ty:ty) => { $ty };
}

/// Generates the value of a text: a function that inserts its parameters, or the text itself.
macro_rules! text {
    (($($param:ident),*) $text:expr) => { |$($param),*| format!($text) };
    ($text:expr) => { $text };
}

pub(super) use {text, type_of, words};
