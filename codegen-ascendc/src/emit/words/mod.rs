//! The text of documents, in every language that they are written in.
//!
//! A document has one structure and takes each word from its package's table. The tables have one type, with a field for each
//! word or sentence, so that a language that lacks one does not compile.

mod en;
mod zh;

use crate::arch::{Inaccurate, Refusal};

/// Language of documents.
///
/// Code and its comments are English in all of them, and text that an author wrote stays as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Language {
    /// English.
    #[default]
    En,
    /// Chinese, as the documents of ops-nn.
    Zh,
}

impl Language {
    /// All languages, in the order of the command line's help.
    pub const ALL: [Language; 2] = [Language::En, Language::Zh];

    /// Returns the name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Language::En => "en",
            Language::Zh => "zh",
        }
    }

    /// Returns the language with this name.
    pub fn named(name: &str) -> Option<Language> {
        Language::ALL.into_iter().find(|l| l.name() == name)
    }

    /// Returns all names, for messages.
    pub fn names() -> String {
        Language::ALL.map(Language::name).join(", ")
    }

    /// Returns the language's table.
    pub(crate) fn words(self) -> &'static Words {
        match self {
            Language::En => &en::WORDS,
            Language::Zh => &zh::WORDS,
        }
    }
}

/// Word, or complete sentence without parameters.
pub(crate) type Word = &'static str;
/// Sentence with one parameter; the following types have two, three and four.
pub(crate) type About = fn(&str) -> String;
pub(crate) type About2 = fn(&str, &str) -> String;
pub(crate) type About3 = fn(&str, &str, &str) -> String;
pub(crate) type About4 = fn(&str, &str, &str, &str) -> String;
/// Sentence with any number of parameters.
pub(crate) type AboutAll = fn(&[String]) -> String;

/// Table of a language.
pub(crate) struct Words {
    pub signs: Signs,
    pub comments: Comments,
    pub titles: Titles,
    pub products: Products,
    pub formula: Formula,
    pub kinds: Kinds,
    pub tensors: Tensors,
    pub attributes: Attributes,
    pub arguments: Arguments,
    pub phases: Phases,
    pub codes: Codes,
    pub limits: Limits,
    pub calls: Calls,
    pub registration: Registration,
    pub custom: Custom,
    pub direct: Direct,
    pub torch: Torch,
    /// Support that a product lacks, in a sentence without its final sign.
    pub refusal: fn(&Refusal) -> String,
}

/// Signs that join words and sentences.
pub(crate) struct Signs {
    pub comma: Word,
    pub stop: Word,
    /// Separator of two sentences.
    pub gap: Word,
    /// Number and its name.
    pub named: About2,
}

/// Comment at the head of a file.
pub(crate) struct Comments {
    /// Operator and purpose of the file.
    pub file: About2,
    /// Source location of the operator.
    pub origin: About,
    /// Header of a file of several operators.
    pub shared: About,
    pub readme: Word,
    pub page: Word,
    pub direct: Word,
}

/// Headings.
pub(crate) struct Titles {
    pub products: Word,
    pub function: Word,
    pub parameters: Word,
    pub constraints: Word,
    pub calls: Word,
    pub build: Word,
    pub registration: Word,
    pub directory: Word,
    pub prototypes: Word,
    pub codes: Word,
    pub example: Word,
}

/// Table of products.
pub(crate) struct Products {
    pub heads: [Word; 3],
    pub yes: Word,
    pub no: Word,
    /// Vendor's names of products, by those of [`crate::arch::SOCS`].
    pub families: &'static [(&'static str, Word)],
}

/// Formulas and their surroundings.
pub(crate) struct Formula {
    /// Operator of which this one is the gradient.
    pub gradient_of: About,
    pub as_written: About,
    /// Heading of a specialisation's formula: its attributes.
    pub with: AboutAll,
    pub given: About,
    pub not_given: About,
    pub halves: [Word; 2],
    pub alternating: [Word; 2],
    pub either: [Word; 2],
    /// Split dimension, which part is the gate, which the value.
    pub gate: About3,
    /// Split dimension, attribute that says which part is the gate, both parts.
    pub gate_if: About4,
    /// Attribute that says whether the parts are interleaved.
    pub alternating_if: About,
}

/// Roles of parameters.
pub(crate) struct Kinds {
    pub input: Word,
    pub optional_input: Word,
    pub attribute: Word,
    pub output: Word,
}

/// Tensors among the parameters.
pub(crate) struct Tensors {
    pub read: Word,
    pub not_read: Word,
    pub written: Word,
    pub shape_broadcast: Word,
    pub shape_broadcasts: Word,
    pub shape_both: Word,
    pub shape_half: Word,
    pub shape_same: Word,
    pub bits: Word,
    pub bytes: Word,
    /// Row counts.
    pub counts: Word,
    pub type_same: Word,
    pub type_same_inputs: Word,
    pub type_promoted: Word,
    pub type_of_promotion: Word,
    pub type_cast: Word,
    pub null: Word,
    /// Minimum and maximum number of dimensions.
    pub rank: About2,
    pub any_strides: Word,
}

/// Attributes among the parameters.
pub(crate) struct Attributes {
    pub default: About,
    pub split: Word,
    pub dim: Word,
    pub gate: Word,
    pub alternating: Word,
    pub bool: Word,
    pub int: Word,
    pub float: Word,
    /// Allowed values.
    pub values: AboutAll,
    pub scalar: Word,
    pub null: Word,
    pub negative_zero: Word,
    pub not_negative: Word,
    pub not_negative_if: About,
}

/// Parameters of the operator and of the first phase.
pub(crate) struct Arguments {
    pub operator_heads: [Word; 5],
    pub heads: [Word; 7],
    /// Name in the formula, and argument.
    pub named: About2,
    /// Attribute, and its value in all calls of the name.
    pub fixed: About2,
    /// The same where another name has an argument for it.
    pub fixed_but: About3,
    pub no_influence: Word,
    pub not_looked_at: Word,
    pub unread: Word,
    pub workspace_size: Word,
    pub executor: Word,
}

/// The two phases of a call.
pub(crate) struct Phases {
    pub about: Word,
    pub heads: [Word; 3],
    pub workspace: Word,
    pub workspace_size: Word,
    pub executor: Word,
    pub stream: Word,
    pub answer: Word,
}

/// Return codes and their causes.
pub(crate) struct Codes {
    pub about: Word,
    pub heads: [Word; 3],
    pub null: AboutAll,
    pub type_unknown: Word,
    pub types_differ: Word,
    pub input_types_differ: Word,
    pub no_promotion: Word,
    pub output_not_promoted: Word,
    pub output_unknown: Word,
    pub scalar: About,
    pub private: Word,
    pub dimensions: Word,
    pub broadcast: Word,
    pub shape: Word,
    pub dim: About,
    pub odd: Word,
    pub empty: Word,
    pub value: About,
    pub negative: About,
    /// Argument, and flag that forbids negative numbers.
    pub negative_if: About2,
    pub infer_shape: Word,
    pub tiling: Word,
    pub find_kernel: Word,
    pub create_executor: Word,
    pub no_tensor: Word,
}

/// Constraints.
pub(crate) struct Limits {
    pub dimensions: Word,
    pub parts: Word,
    pub no_empty: Word,
    pub deterministic_on_all_cores: Word,
    pub strided: Word,
    pub empty: Word,
    pub empty_refused: Word,
    pub equal_shapes: Word,
    pub deterministic: Word,
    /// Results of 16 bits beyond the type's range, on these products.
    pub saturation: About,
    /// Infinities of these inputs that give NaN.
    pub infinities: About,
    /// Element types and products, and the error there.
    pub inaccurate: fn(&str, &Inaccurate) -> String,
}

/// How the operator is called and built.
pub(crate) struct Calls {
    pub heads: [Word; 3],
    pub aclnn: Word,
    pub graph: Word,
    pub prototype: Word,
    /// Comment between the two phases.
    pub allocate: Word,
    /// Link to the whole program.
    pub program: About,
    /// Order of vector instructions, and the macro that leaves it to the compiler.
    pub build: About,
}

/// Registered signatures, compared with those of the repository.
pub(crate) struct Registration {
    /// The prototype is the repository's: its tensors.
    pub prototype: About,
    /// The repository has no prototype.
    pub no_prototype: Word,
    /// Attributes of the prototype that the definition lacks.
    pub prototype_only: About,
    /// Attribute without effect, and its default.
    pub at_default: About2,
    /// Element types without kernels.
    pub types: About,
    pub mixed: Word,
    /// Unknown products.
    pub socs: About,
    pub required: Word,
    /// The definition is the repository's.
    pub definition: Word,
    /// The repository has no function for the operator.
    pub no_function: Word,
    /// Files in the repository's directory that are replaced.
    pub replaced: Word,
    /// Files that stay there.
    pub stays: About,
    /// Functions of the repository's interface that are missing here.
    pub functions: About,
    /// Element types of system tests that no longer apply.
    pub tests: About,
}

/// README of a stand-alone project.
pub(crate) struct Custom {
    /// Title, with the products.
    pub title: About,
    pub heads: [Word; 3],
    pub build: Word,
    /// The same for toolkits of generation 8.
    pub build_8: Word,
    pub install: Word,
    /// Directory into which packages install.
    pub installed: About,
    pub call: Word,
    pub called: Word,
    /// Operator that is left out.
    pub left_out: About,
}

/// README of a kernel that is launched directly.
pub(crate) struct Direct {
    /// Introduction, with the products.
    pub about: About,
    /// Input files: element types of masks, values of optional inputs, the attributes.
    pub files: About3,
    pub masks: Word,
    pub optional: Word,
    /// Attribute and its default.
    pub default: About2,
    pub none: Word,
    pub rest: Word,
}

/// README of an extension of PyTorch.
pub(crate) struct Torch {
    /// Text with `@namespace@` for the extension's name.
    pub about: Word,
    pub operators: Word,
    pub heads: [Word; 2],
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::{Inaccurate, SOCS, Why};
    use op_dsl_ir::DType;
    use op_dsl_ir::tiling::UbTooSmall;

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

    /// Checks that every language names what an author could change, which is the text in code font.
    #[test]
    fn every_refusal_names_the_same() {
        let soc = &SOCS[2];
        let name = || "name".to_string();
        let reasons = [
            Why::DType("f16, f32".into()),
            Why::NoDType(soc, DType::BF16),
            Why::OneMask(soc, name()),
            Why::MaskOfRows(soc, name()),
            Why::LeftOut("approximate = 0".into(), "approximate = tanh"),
            Why::NoSequence("erf", "write `a + b`"),
            Why::Inaccurate(Box::new(Inaccurate {
                function: "`y` by tanh".into(),
                at: "x = 25e-2".into(),
                values: [1.25, 2.25],
                ulp: [12.25, 8.0],
            })),
            Why::NoOverload("Axpy"),
            Why::NoBuffer("Axpy"),
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
