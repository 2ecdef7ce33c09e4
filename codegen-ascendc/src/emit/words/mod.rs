//! The text of documents, in every language that they are written in.
//!
//! A document has one structure and takes each word from its package's table. A text stands in the macro `words` once, in all
//! languages, so that a text that lacks one does not compile.

mod function;
mod operator;
mod project;
mod refusal;
mod table;

pub(crate) use table::Word;

use crate::arch::Refusal;

/// Generates the table of all texts, and the table of each language.
macro_rules! tables {
    ($($name:ident: $group:ty),* $(,)?) => {
        /// Table of all words and sentences of documents in one language.
        pub(crate) struct Words {
            $(pub $name: $group,)*
            /// Sentence, without its full stop, that says what a product does not support and why.
            pub refusal: fn(&Refusal) -> String,
        }

        static EN: Words = Words { $($name: <$group>::EN,)* refusal: Refusal::to_string };
        static ZH: Words = Words { $($name: <$group>::ZH,)* refusal: refusal::refusal_zh };
    };
}

tables! {
    signs: operator::Signs,
    comments: operator::Comments,
    titles: operator::Titles,
    products: operator::Products,
    formula: operator::Formula,
    kinds: operator::Kinds,
    tensors: operator::Tensors,
    attributes: operator::Attributes,
    arguments: function::Arguments,
    phases: function::Phases,
    codes: function::Codes,
    limits: function::Limits,
    calls: function::Calls,
    registration: project::Registration,
    custom: project::Custom,
    direct: project::Direct,
    torch: project::Torch,
}

/// Language of a package's documents.
///
/// Code and its comments are English whatever the language, and text that an author wrote stays as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Language {
    /// English.
    #[default]
    En,
    /// Chinese, in the terms that the documents of ops-nn use.
    Zh,
}

impl Language {
    /// All languages, in the order in which the command line's help lists them.
    pub const ALL: [Language; 2] = [Language::En, Language::Zh];

    /// Returns the name of the language on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Language::En => "en",
            Language::Zh => "zh",
        }
    }

    /// Returns the language with this name, `None` if there is none.
    pub fn named(name: &str) -> Option<Language> {
        Language::ALL.into_iter().find(|l| l.name() == name)
    }

    /// Returns the names of all languages, separated by commas, for messages.
    pub fn names() -> String {
        Language::ALL.map(Language::name).join(", ")
    }

    /// Returns the table of all words and sentences of documents in this language.
    pub(crate) fn words(self) -> &'static Words {
        match self {
            Language::En => &EN,
            Language::Zh => &ZH,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::{Inaccurate, Refusal, SOCS, Why};
    use crate::tiling::UbTooSmall;
    use op_dsl_ir::DType;

    #[test]
    fn every_product_has_a_name_in_every_language() {
        for language in Language::ALL {
            let families = language.words().products.families;
            let names: Vec<&str> = families.iter().map(|f| f.0).collect();
            assert_eq!(names, SOCS.iter().map(|s| s.name).collect::<Vec<_>>(), "{language:?}");
            assert_eq!(Language::named(language.name()), Some(language));
        }
        assert_eq!(Language::named("fr"), None);
    }

    /// Checks that a refusal has the same words in code font in every language.
    ///
    /// The words in code font are what an author could change.
    #[test]
    fn every_refusal_names_the_same() {
        let soc = &SOCS[2];
        let name = || "name".to_string();
        let reasons = [
            Why::DType("f16, f32".into()),
            Why::NoDType(soc, DType::BF16),
            Why::OneMask(soc, name()),
            Why::MaskOfRows(soc, name()),
            Why::Sum(soc, name()),
            Why::Rows("row_sum".into(), "architecture 1001".into()),
            Why::Own(name(), "int8".into()),
            Why::LeftOut("approximate = 0".into(), "approximate = tanh"),
            Why::Inaccurate(Box::new(Inaccurate {
                function: "`y` by tanh".into(),
                at: "x = 25e-2".into(),
                values: [1.25, 2.25],
                ulp: [12.25, 8.0],
            })),
            Why::NoOverload("Axpy"),
            Why::Unplanned("Axpy"),
            Why::Ub(UbTooSmall { need: 96, have: 64 }),
        ];
        for why in reasons {
            let refusal = Refusal { op: "Op".into(), soc: soc.name, dtypes: vec![DType::F16], why };
            let [en, zh] = Language::ALL.map(|to| (to.words().refusal)(&refusal));
            let code = |text: &str| -> Vec<String> {
                text.split('`').skip(1).step_by(2).map(String::from).collect()
            };
            assert_eq!(code(&en), code(&zh));
            // Compares numbers and targets, but not element types, because their names are longer.
            let words = en.split(|c: char| !c.is_ascii_alphanumeric());
            let facts = words.filter(|w| w.len() > 1 && w.contains(|c: char| c.is_ascii_digit()));
            for fact in facts.filter(|w| !["f16", "f32", "bf16"].contains(w)) {
                assert!(zh.contains(fact), "{fact}: {zh}");
            }
            assert!(zh.contains('：') && !zh.ends_with('。'), "{zh}");
        }
    }
}
