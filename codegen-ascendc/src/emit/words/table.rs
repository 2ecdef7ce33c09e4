//! The type of the tables of words.

use crate::arch::{Inaccurate, Refusal};

/// Word, or complete sentence without parameters, in the language of a table.
pub(crate) type Word = &'static str;
/// Function that returns a sentence, given the one text to insert in it.
///
/// `About2`, `About3` and `About4` insert two, three and four texts.
pub(crate) type About = fn(&str) -> String;
pub(crate) type About2 = fn(&str, &str) -> String;
pub(crate) type About3 = fn(&str, &str, &str) -> String;
pub(crate) type About4 = fn(&str, &str, &str, &str) -> String;
/// Function that returns a sentence with any number of parameters.
pub(crate) type AboutAll = fn(&[String]) -> String;

/// Table of all words and sentences of documents in one language.
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
    /// Sentence, without its full stop, that says what a product does not support and why.
    pub refusal: fn(&Refusal) -> String,
}

/// Punctuation that joins words and sentences.
pub(crate) struct Signs {
    pub comma: Word,
    pub stop: Word,
    /// Text between two sentences of a paragraph.
    pub gap: Word,
    /// Phrase for a number (first parameter) and its name (second).
    pub named: About2,
}

/// Sentences in the comment at the head of a file.
pub(crate) struct Comments {
    /// Sentence with the operator's name and what the file is.
    pub file: About2,
    /// Sentence that says from which source location the file was generated.
    pub origin: About,
    /// Sentence for a file that several operators share, with the list of their names.
    pub shared: About,
    pub readme: Word,
    pub page: Word,
    pub direct: Word,
}

/// Headings of sections.
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

/// Words in the table of supported products.
pub(crate) struct Products {
    pub heads: [Word; 3],
    pub yes: Word,
    pub no: Word,
    /// Vendor's names of products: pairs of the name in [`crate::arch::SOCS`] and the vendor's name.
    pub families: &'static [(&'static str, Word)],
}

/// Sentences about the formula of an operator.
pub(crate) struct Formula {
    /// Sentence that names the operator of which this one is the gradient.
    pub gradient_of: About,
    pub as_written: About,
    /// Heading of a specialisation's formula, with the attribute values that select it.
    pub with: AboutAll,
    pub given: About,
    pub not_given: About,
    pub halves: [Word; 2],
    pub alternating: [Word; 2],
    pub either: [Word; 2],
    /// Sentence with the split dimension, which part is the gate, and which part is the value.
    pub gate: About3,
    /// Sentence for a gate that an attribute selects.
    ///
    /// The parameters are the split dimension, the attribute, the gate if the attribute is true, and the other part.
    pub gate_if: About4,
    /// Sentence with the attribute that says whether the two parts are interleaved.
    pub alternating_if: About,
}

/// Words for the role of a parameter: input, attribute, output.
pub(crate) struct Kinds {
    pub input: Word,
    pub optional_input: Word,
    pub attribute: Word,
    pub output: Word,
}

/// Sentences that describe parameters that are tensors.
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
    /// Sentence that describes an input with row counts, whose sum is the number of computed rows.
    pub counts: Word,
    pub type_same: Word,
    pub type_same_inputs: Word,
    pub type_promoted: Word,
    pub type_of_promotion: Word,
    pub type_cast: Word,
    pub null: Word,
    /// Phrase with the minimum and the maximum number of dimensions.
    pub rank: About2,
    pub any_strides: Word,
}

/// Sentences that describe parameters that are attributes.
pub(crate) struct Attributes {
    pub default: About,
    pub split: Word,
    pub dim: Word,
    pub gate: Word,
    pub alternating: Word,
    pub bool: Word,
    pub int: Word,
    pub float: Word,
    /// Sentence that lists the allowed values of an attribute.
    pub values: AboutAll,
    pub scalar: Word,
    pub null: Word,
    pub negative_zero: Word,
    pub not_negative: Word,
    pub not_negative_if: About,
}

/// Words in the tables of parameters, of an operator and of phase 1 of an aclnn function.
pub(crate) struct Arguments {
    pub operator_heads: [Word; 5],
    pub heads: [Word; 7],
    /// Sentence with a name in the formula, and the name of the argument that stands for it.
    pub named: About2,
    /// Sentence with an attribute, and the value that an aclnn function fixes for it.
    pub fixed: About2,
    /// Sentence with an attribute, the value that one aclnn function fixes for it, and another function.
    ///
    /// The other function has an argument for the attribute.
    pub fixed_but: About3,
    pub no_influence: Word,
    pub not_looked_at: Word,
    pub unread: Word,
    pub workspace_size: Word,
    pub executor: Word,
}

/// Sentences about the two phases of calling an aclnn function.
pub(crate) struct Phases {
    pub about: Word,
    pub heads: [Word; 3],
    pub workspace: Word,
    pub workspace_size: Word,
    pub executor: Word,
    pub stream: Word,
    pub answer: Word,
}

/// Sentences that give the causes of return codes of phase 1.
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
    /// Sentence with an argument that must not be negative where a flag is true, and that flag.
    pub negative_if: About2,
    pub infer_shape: Word,
    pub tiling: Word,
    pub find_kernel: Word,
    pub create_executor: Word,
    pub no_tensor: Word,
}

/// Sentences about the limits of an operator.
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
    /// Sentence on 16-bit results beyond their type's range, with the products that it is about.
    pub saturation: About,
    /// Sentence on infinite inputs that give NaN, with the names of the inputs.
    pub infinities: About,
    /// Sentence on a result that exceeds its error budget.
    ///
    /// The first parameter lists products and element types, the second is the error.
    pub inaccurate: fn(&str, &Inaccurate) -> String,
}

/// Sentences on how the operator is called and built.
pub(crate) struct Calls {
    pub heads: [Word; 3],
    pub aclnn: Word,
    pub graph: Word,
    pub prototype: Word,
    /// Comment between the calls of the two phases in a code listing.
    pub allocate: Word,
    /// Sentence with a link to the whole example program.
    pub program: About,
    /// Paragraph on the order of vector instructions.
    ///
    /// The parameter is the macro by which a build leaves that order to the compiler.
    pub build: About,
}

/// Sentences that compare the emitted prototype and definition with those of ops-nn.
pub(crate) struct Registration {
    /// Sentence that the prototype is that of ops-nn, with the tensors in its signature.
    pub prototype: About,
    /// Sentence that ops-nn has no prototype in the operator's directory.
    pub no_prototype: Word,
    /// Sentence that lists attributes of the prototype that the definition lacks.
    pub prototype_only: About,
    /// Sentence on an attribute for which only the default is supported, with that default.
    pub at_default: About2,
    /// Sentence that lists element types that ops-nn supports and this package does not.
    pub types: About,
    pub mixed: Word,
    /// Sentence that lists products that ops-nn supports and this package does not.
    pub socs: About,
    pub required: Word,
    /// Sentence that the definition is that of ops-nn.
    pub definition: Word,
    /// Sentence that ops-nn has no aclnn function for the operator.
    pub no_function: Word,
    /// Sentence that lists the files of the operator's directory in ops-nn that are replaced.
    pub replaced: Word,
    /// Sentence that lists the files of the operator's directory in ops-nn that stay.
    pub stays: About,
    /// Sentence that lists aclnn functions of ops-nn that are lost with the old interface.
    pub functions: About,
    /// Sentence that lists element types in which system tests of ops-nn no longer apply.
    pub tests: About,
}

/// Texts in the README of a stand-alone project.
pub(crate) struct Custom {
    /// Title, with the list of products.
    pub title: About,
    pub heads: [Word; 3],
    pub build: Word,
    /// Instructions for the build with toolkits of generation 8; `build` is for generation 9.
    pub build_8: Word,
    pub install: Word,
    /// Sentence on the directory into which packages install, given the vendor's name.
    pub installed: About,
    pub call: Word,
    pub called: Word,
    /// Heading of the list of what is left out of an operator.
    pub left_out: About,
}

/// Texts in the README of a kernel that is launched without an installed package.
pub(crate) struct Direct {
    /// Introduction, with the list of products.
    pub about: About,
    /// Paragraph on the program's input files.
    ///
    /// The parameters are `masks` and `optional`, empty if the operator has no such inputs, and the list of attributes.
    pub files: About3,
    pub masks: Word,
    pub optional: Word,
    /// Phrase with an attribute and its default.
    pub default: About2,
    pub none: Word,
    pub rest: Word,
}

/// Texts in the README of an extension of PyTorch.
pub(crate) struct Torch {
    /// Main text, with `@namespace@` where the extension's name is to be put.
    pub about: Word,
    pub operators: Word,
    pub heads: [Word; 2],
}
