//! English.

use super::table::*;
use crate::arch::{Inaccurate, Refusal};

pub(super) static WORDS: Words = Words {
    signs: Signs {
        comma: ", ",
        stop: ".",
        gap: " ",
        named: |value, name| format!("{value} ({name})"),
    },
    comments: Comments {
        file: |operator, what| format!("{operator}: {what}."),
        origin: |source| format!("Generated from {source}; do not edit."),
        shared: |operators| format!("{operators}: generated, do not edit"),
        readme: "an operator for ops-nn",
        page: "the aclnn functions of one name",
        direct: "a kernel that is launched directly",
    },
    titles: Titles {
        products: "Products",
        function: "Function",
        parameters: "Parameters",
        constraints: "Constraints",
        calls: "Calls",
        build: "Build",
        registration: "Registration",
        directory: "In the repository's directory",
        prototypes: "Prototypes",
        codes: "Return codes",
        example: "Example",
    },
    products: Products {
        heads: ["Product", "Compute unit", "In this package"],
        yes: "yes",
        no: "no",
        families: &[
            ("ascend910b", "Atlas A2 training and inference products"),
            ("ascend910_93", "Atlas A3 training and inference products"),
            ("ascend310p", "Atlas inference products"),
            ("ascend950", "Ascend 950PR, Ascend 950DT"),
            ("ascend910", "Atlas training products"),
        ],
    },
    formula: Formula {
        gradient_of: op_dsl_ir::doc::of_gradient,
        as_written: |source| format!("As written in `{source}`:"),
        with: |attributes| format!("With {}:", attributes.join(", ")),
        given: |input| format!("{input} given"),
        not_given: |input| format!("{input} left out"),
        halves: ["first half", "second half"],
        alternating: ["even elements", "odd elements"],
        either: ["first part", "second part"],
        gate: |dim, gate, value| {
            format!("Along dimension `{dim}`, the gate is the {gate}, the value the {value}.")
        },
        gate_if: |dim, flag, gate, other| {
            format!(
                "Along dimension `{dim}`, the gate is the {gate} if `{flag}` is true, else the \
                 {other}; the value is the rest."
            )
        },
        alternating_if: |flag| {
            format!("Parts are even and odd elements if `{flag}` is true, else halves.")
        },
    },
    kinds: Kinds {
        input: "input",
        optional_input: "optional input",
        attribute: "attribute",
        output: "output",
    },
    tensors: Tensors {
        read: "Read by the formula.",
        not_read: "Checked, but not read.",
        written: "Written whole.",
        shape_broadcast: "The shape to which the inputs broadcast.",
        shape_broadcasts: "Broadcasts with the other inputs.",
        shape_both: "Both parts: even along the split dimension.",
        shape_half: "Half of a tensor with both parts along the split dimension.",
        shape_same: "The same for all tensors.",
        bits: "Truth values, eight to a byte, the first in the lowest bit.",
        bytes: "Truth values: what is not 0 is true.",
        counts: "One dimension: as many rows as the sum of its entries are computed, others are zeros. Rows are what the dimensions before the split dimension make. A negative entry counts as 0.",
        type_same: "The same element type for all tensors.",
        type_same_inputs: "The same element type for all inputs.",
        type_promoted: "Promoted with the other inputs.",
        type_of_promotion: "The element type that the inputs promote to.",
        type_cast: "The result is cast to its element type.",
        null: "A null pointer leaves it out.",
        rank: |least, most| format!("{least} to {most}"),
        any_strides: "any",
    },
    attributes: Attributes {
        default: |value| format!("Default: {value}."),
        split: "The dimension that is cut in two, in [-rank, rank - 1].",
        dim: "A dimension, in [-rank, rank - 1].",
        gate: "Whether the first part is the gate.",
        alternating: "Whether parts are even and odd elements, else halves.",
        bool: "true or false.",
        int: "An integer.",
        float: "A number, the same for every element.",
        values: |values| format!("{}.", or(values)),
        scalar: "Of any type that converts to float.",
        null: "A null pointer is the default.",
        negative_zero: "Negative numbers count as 0.",
        not_negative: "Not negative.",
        not_negative_if: |flag| format!("Not negative where {flag} is true."),
    },
    arguments: Arguments {
        operator_heads: ["Name", "Kind", "Meaning", "Type", "Format"],
        heads: ["Name", "Kind", "Meaning", "Types", "Format", "Rank", "Strides"],
        named: |own, argument| format!("`{own}` in the formula is the argument `{argument}`."),
        fixed: |name, value| format!("`{name}` is {value}."),
        fixed_but: |name, value, main| {
            format!("`{name}` is {value}; {main} has an argument for it.")
        },
        no_influence: "Has no influence on results.",
        not_looked_at: "Not looked at.",
        unread: "A tensor that nothing reads.",
        workspace_size: "Bytes of workspace that the second phase needs.",
        executor: "The executor of this call.",
    },
    phases: Phases {
        about: "\
A call has two phases. The first checks the arguments and says how much workspace the second needs;
the second launches the kernel.",
        heads: ["Name", "Type", "Meaning"],
        workspace: "Workspace in device memory.",
        workspace_size: "Its bytes, from the first phase.",
        executor: "The executor from the first phase.",
        stream: "The stream that the kernel runs on.",
        answer: "Answers with 0, or a code of the runtime.",
    },
    codes: Codes {
        about: "Checks run in this order; the first that fails gives the code.",
        heads: ["Code", "Name", "When"],
        null: |names| format!("{} is a null pointer.", or(names)),
        type_unknown: "A tensor has an element type that is not in the table above.",
        types_differ: "The element types differ.",
        input_types_differ: "The element types of the inputs differ.",
        no_promotion: "The inputs promote to no element type of the table above.",
        output_not_promoted: "An output does not have the promoted element type.",
        output_unknown: "An output has an element type that is not in the table above.",
        scalar: |name| format!("{name} is of a type that does not convert to float."),
        private: "A tensor has a private format.",
        dimensions: "A tensor has more than 8 dimensions.",
        broadcast: "The inputs cannot be broadcast, or an output has another shape.",
        shape: "A shape does not fit the others.",
        dim: |name| format!("{name} is not in [-rank, rank - 1]."),
        odd: "The split dimension of a tensor with two parts is odd.",
        empty: "A tensor is empty.",
        value: |name| format!("{name} has a value that is not in the table above."),
        negative: |name| format!("{name} is negative."),
        negative_if: |name, flag| format!("{name} is negative and {flag} is true."),
        infer_shape: "Shape inference fails.",
        tiling: "Tiling fails.",
        find_kernel: "No kernel is installed for the product.",
        create_executor: "The executor cannot be created.",
        no_tensor: "A step of the call makes no tensor.",
    },
    limits: Limits {
        dimensions: "Tensors have at most 8 dimensions.",
        parts: "A tensor with two parts has at least one dimension, and an even split dimension.",
        no_empty: "No tensor may be empty.",
        deterministic_on_all_cores: "\
            Results are deterministic, and do not depend on the number of cores.",
        strided: "\
            Strided tensors are copied to contiguous ones before the kernel, and results back.",
        empty: "Empty tensors succeed: workspaceSize is 0 and no kernel runs.",
        empty_refused: "Empty tensors are refused.",
        equal_shapes: "Shapes must be equal: tensors that are cut in two are not broadcast.",
        deterministic: "Results are deterministic.",
        saturation: |products| {
            format!(
                "FLOAT16 and BFLOAT16 results on {products}: with the default mode of the device (`CTRL[48]` is 0), values \
                 beyond the type's range saturate at its largest number, and NaN is 0. Where `CTRL[48]` is 1 they are \
                 infinity and NaN."
            )
        },
        infinities: |inputs| {
            format!(
                "An infinity of {inputs} gives NaN where terms of a derivative that share it have different signs; on CPUs \
                 it gives an infinity."
            )
        },
        inaccurate: |of, Inaccurate { function, at, values: [got, want], ulp: [error, budget] }| {
            format!(
                "Accuracy, {of}: {function} is up to {error:.1} units in the last place off, where at most {budget} is right \
                 (at {at}: {got:e}, not {want:e}). Whoever emitted this package accepted that."
            )
        },
    },
    calls: Calls {
        heads: ["Call", "Example", "Page"],
        aclnn: "aclnn",
        graph: "graph",
        prototype: "prototype",
        allocate: "status is 0: allocate workspaceSize bytes of device memory, if any",
        program: |link| format!("The whole program: {link}."),
        build: |by_compiler| {
            format!(
                "Kernels have barriers (`PipeBarrier<PIPE_V>`) between dependent vector instructions. They are right whether the
compiler's automatic synchronisation (`--cce-auto-sync`) is on or off, and whatever `auto_sync` says in
`scripts/kernel/binary_config/ascendc_config.json`. Where it is surely on, the option `-D{by_compiler}`
leaves the barriers to the compiler.
"
            )
        },
    },
    registration: Registration {
        prototype: |tensors| {
            format!("Prototype: that of ops-nn, `{tensors}`, with its names, element types and attributes.")
        },
        no_prototype: "Prototype: ops-nn has none in this directory; the one here follows the definition.",
        prototype_only: |names| {
            format!("Prototype: {names} is not in the definition, as in ops-nn; nothing reads it.")
        },
        at_default: |name, value| {
            format!("Definition: `{name}` is there, and other values than {value} are refused.")
        },
        types: |types| {
            format!(
                "Definition: ops-nn also has {types}, and this package does not: kernels compute in floating point."
            )
        },
        mixed: "Definition: ops-nn also lets element types of one call differ, and this package does not: the interface casts.",
        socs: |socs| format!("Definition: ops-nn also names {socs}, for which this package has no kernels."),
        required: "Definition: graphs must give every attribute, as in ops-nn.",
        definition: "Definition: names, element types and attributes are those of ops-nn.",
        no_function: "Functions: ops-nn has none for this operator, so there are none here: it is called by graphs.",
        replaced: "Replaced: `CMakeLists.txt`, `README.md`, `op_host` with `op_host/config`, `op_kernel`, `op_api`, the prototype, \
`tests/ut` of these, and pages and examples of the same functions. The old sources there must go: the build takes every source that it finds.",
        stays: |paths| format!("Stays as it is, and fits, since it depends on prototype and names: {paths}."),
        functions: |names| {
            format!(
                "Lost with the old interface: {names}. `emit --layout ops-nn --into CHECKOUT --keep-interface` leaves that interface, \
                 and replaces kernels and host code alone."
            )
        },
        tests: |types| format!("No longer fits: cases of `tests/st` in {types}."),
    },
    custom: Custom {
        title: |units| format!("Operators for {units}"),
        heads: ["operator", "interface", "element types"],
        build: "\
Toolkit 9.0 or later, CMake 3.16 or later:

```sh
source <toolkit>/set_env.sh
cmake -S . -B build_out
cmake --build build_out --target binary package -j $(nproc)
```

`-DASCEND_COMPUTE_UNIT=..` chooses other products of the architecture, separated by semicolons.
For toolkits 8.0 to 8.5, `emit --layout custom --cann 8` writes another project.
",
        build_8: "\
Toolkit 8.x, CMake 3.19 or later:

```sh
source <toolkit>/set_env.sh
./build.sh
```

Toolkits of this generation bring no CMake package for operators: each project has a copy of their
build files instead, which `msopgen gen` writes. `build.sh` has it write a project aside, for the
throw-away operator in `msopgen.json`, takes `cmake/`, `scripts/` and `CMakeLists.txt` from it, and
builds. The rest of this directory is the operators. `CMakePresets.json` names the product. A toolkit
of generation 9 needs none of this: `emit --cann 9` writes the project for it.
",
        install: "Install",
        installed: |vendor| {
            format!(
                "\
This writes `$ASCEND_OPP_PATH/vendors/{vendor}`; with `--install-path=P` it
writes `P/vendors/{vendor}`, whose `bin/set_env.bash` a shell then sources."
            )
        },
        call: "Use",
        called: "\
Each operator has two functions, `aclnn<Operator>GetWorkspaceSize` and
`aclnn<Operator>`, declared in `op_api/include` of the installed package. Tensors have
the shapes that the definition asks for: nothing is broadcast, no type is promoted.",
        left_out: |operator| format!("Left out: {operator}"),
    },
    direct: Direct {
        about: |units| {
            format!("Launches the kernel on {units} directly: no operator package is installed.")
        },
        files: |masks, optional, attributes| {
            format!(
                "\
Inputs come first, then the results to compare with; `.npy` files of float16, float32, or uint16 with
the bits of bfloat16{masks}. {optional}Attributes are `name=value` before them: {attributes}."
            )
        },
        masks: ", of bool or uint8 for masks",
        optional: "`-` leaves an optional input out. ",
        default: |name, value| format!("`{name}` ({value} by default)"),
        none: "none",
        rest: "`launch.h` and `launch.asc` are what another program needs.",
    },
    torch: Torch {
        about: include_str!("../layout/torch/README.md"),
        operators: "Operators",
        heads: ["operator", "element types"],
    },
    refusal: Refusal::to_string,
};

/// Joins alternatives into one phrase, for example `a, b or c`.
fn or(names: &[String]) -> String {
    match names {
        [one @ .., last] if !one.is_empty() => format!("{} or {last}", one.join(", ")),
        names => names.concat(),
    }
}
