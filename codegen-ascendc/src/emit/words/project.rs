//! Texts about registrations and projects: ops-nn, stand-alone, launched directly, PyTorch.

use super::table::{Word, words};

words! {
    /// Sentences that compare the emitted prototype and definition with those of ops-nn.
    Registration {
        /// Sentence that the prototype is that of ops-nn, with the tensors in its signature.
        prototype(tensors) =
            "Prototype: that of ops-nn, `{tensors}`, with its names, element types and attributes.",
            "图原型与ops-nn一致：`{tensors}`，参数名、数据类型、属性均相同。";
        /// Sentence that ops-nn has no prototype in the operator's directory.
        no_prototype =
            "Prototype: ops-nn has none in this directory; the one here follows the definition.",
            "ops-nn的该目录中没有图原型，此处的图原型由算子定义得到。";
        /// Sentence that lists attributes of the prototype that the definition lacks.
        prototype_only(names) =
            "Prototype: {names} is not in the definition, as in ops-nn; nothing reads it.",
            "与ops-nn相同，图原型的{names}不在算子定义中，不参与计算。";
        /// Sentence on an attribute for which only the default is supported, with that default.
        at_default(name, value) =
            "Definition: `{name}` is there, and other values than {value} are refused.",
            "算子定义包含`{name}`，仅支持取值{value}。";
        /// Sentence that lists element types that ops-nn supports and this package does not.
        types(types) =
            "Definition: ops-nn also has {types}, and this package does not: kernels compute in floating point.",
            "ops-nn的算子定义还支持{types}，本算子不支持：kernel以浮点数计算。";
        mixed =
            "Definition: ops-nn also lets element types of one call differ, and this package does not: the interface casts.",
            "ops-nn的算子定义允许一次调用中各Tensor的数据类型不同，本算子不支持：由aclnn接口转换数据类型。";
        /// Sentence that lists products that ops-nn supports and this package does not.
        socs(socs) =
            "Definition: ops-nn also names {socs}, for which this package has no kernels.",
            "ops-nn的算子定义还支持{socs}，本算子不支持。";
        required =
            "Definition: graphs must give every attribute, as in ops-nn.",
            "与ops-nn相同，算子定义中的属性均为必选。";
        /// Sentence that the definition is that of ops-nn.
        definition =
            "Definition: names, element types and attributes are those of ops-nn.",
            "算子定义的参数名、数据类型、属性与ops-nn一致。";
        /// Sentence that ops-nn has no aclnn function for the operator.
        no_function =
            "Functions: ops-nn has none for this operator, so there are none here: it is called by graphs.",
            "ops-nn没有该算子的aclnn接口，此处也不提供，通过图模式调用。";
        /// Sentence that lists the files of the operator's directory in ops-nn that are replaced.
        replaced =
            "Replaced: `CMakeLists.txt`, `README.md`, `op_host` with `op_host/config`, `op_kernel`, `op_api`, the prototype, \
`tests/ut` of these, and pages and examples of the same functions. The old sources there must go: the build takes every source that it finds.",
            "替换：`CMakeLists.txt`、`README.md`、`op_host`（含`op_host/config`）、`op_kernel`、`op_api`、图原型，以及对应的`tests/ut`和同名接口的文档、示例。\
其中的旧源码必须删除：编译时会收集目录下的所有源文件。";
        /// Sentence that lists the files of the operator's directory in ops-nn that stay.
        stays(paths) =
            "Stays as it is, and fits, since it depends on prototype and names: {paths}.",
            "保留：{paths}。这些文件依赖图原型和参数名，可继续使用。";
        /// Sentence that lists aclnn functions of ops-nn that are lost with the old interface.
        functions(names) =
            "Lost with the old interface: {names}. `emit --layout ops-nn --into CHECKOUT --keep-interface` leaves that interface, \
             and replaces kernels and host code alone.",
            "旧接口中的{names}不在本算子中。`emit --layout ops-nn --into CHECKOUT --keep-interface`保留旧接口，仅替换kernel和host代码。";
        /// Sentence that lists element types in which system tests of ops-nn no longer apply.
        tests(types) =
            "No longer fits: cases of `tests/st` in {types}.",
            "不再适用：`tests/st`中数据类型为{types}的用例。";
    }

    /// Texts in the README of a stand-alone project.
    Custom {
        /// Title, with the list of products.
        title(units) = "Operators for {units}", "自定义算子工程（{units}）";
        heads: [Word; 3] = ["operator", "interface", "element types"], ["算子", "接口", "数据类型"];
        build =
            "\
Toolkit 9.0 or later, CMake 3.16 or later:

```sh
source <toolkit>/set_env.sh
cmake -S . -B build_out
cmake --build build_out --target binary package -j $(nproc)
```

`-DASCEND_COMPUTE_UNIT=..` chooses other products of the architecture, separated by semicolons.
For toolkits 8.0 to 8.5, `emit --layout custom --cann 8` writes another project.
",
            "\
要求CANN 9.0及以上版本，CMake 3.16及以上版本：

```sh
source <toolkit>/set_env.sh
cmake -S . -B build_out
cmake --build build_out --target binary package -j $(nproc)
```

通过`-DASCEND_COMPUTE_UNIT=..`指定同一架构的其他NPU型号，多个型号之间用英文分号分隔。
CANN 8.0至8.5请使用`emit --layout custom --cann 8`生成的工程。
";
        /// Instructions for the build with toolkits of generation 8; `build` is for generation 9.
        build_8 =
            "\
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
            "\
要求CANN 8.x版本，CMake 3.19及以上版本：

```sh
source <toolkit>/set_env.sh
./build.sh
```

该版本的CANN没有提供用于算子编译的CMake包，每个工程各自带有一份由`msopgen gen`生成的编译文件。\
`build.sh`先为`msopgen.json`中的占位算子在临时目录生成一个工程，从中取出`cmake/`、`scripts/`和\
`CMakeLists.txt`，再执行编译。目录中的其他文件属于算子本身。`CMakePresets.json`用于指定NPU型号。\
CANN 9不需要这些步骤：`emit --cann 9`直接生成对应的工程。
";
        install = "Install", "安装说明";
        /// Sentence on the directory into which packages install, given the vendor's name.
        installed(vendor) =
            "\
This writes `$ASCEND_OPP_PATH/vendors/{vendor}`; with `--install-path=P` it
writes `P/vendors/{vendor}`, whose `bin/set_env.bash` a shell then sources.",
            "\
默认安装到`$ASCEND_OPP_PATH/vendors/{vendor}`；指定`--install-path=P`时，安装到`P/vendors/{vendor}`，\
使用前需要source其中的`bin/set_env.bash`。";
        call = "Use", "调用说明";
        called =
            "\
Each operator has two functions, `aclnn<Operator>GetWorkspaceSize` and
`aclnn<Operator>`, declared in `op_api/include` of the installed package. Tensors have
the shapes that the definition asks for: nothing is broadcast, no type is promoted.",
            "\
每个算子有两个函数，`aclnn<Operator>GetWorkspaceSize`和`aclnn<Operator>`，在安装包的\
`op_api/include`目录中声明。Tensor的shape须符合算子定义：不做broadcast，也不做数据类型推导。";
        /// Sentence about the operators some of whose outputs are sums, given their names.
        sums(names) =
            "Inputs of {names} that are broadcast are passed as they are; the first function reports how much workspace is needed.",
            "{names}直接接收需要broadcast的输入，所需的workspace大小由第一个函数返回。";
        /// Heading of the list of what is left out of an operator.
        left_out(operator) = "Left out: {operator}", "{operator}不支持的场景";
    }

    /// Texts in the README of a kernel that is launched without an installed package.
    Direct {
        /// Introduction, with the list of products.
        about(units) =
            "Launches the kernel on {units} directly: no operator package is installed.",
            "在{units}上直接调用kernel，不需要安装算子包。";
        /// Paragraph on the program's input files.
        ///
        /// The parameters are `masks` and `optional`, empty if the operator has no such inputs, and the list of attributes.
        files(masks, optional, attributes) =
            "\
Inputs come first, then the results to compare with; `.npy` files of float16, float32, or uint16 with
the bits of bfloat16{masks}. {optional}Attributes are `name=value` before them: {attributes}.",
            "命令行参数依次为输入文件和用于比对的结果文件，格式为`.npy`，数据类型为float16、float32，\
             或存放bfloat16二进制位的uint16{masks}。{optional}属性以`name=value`的形式写在文件之前：{attributes}。";
        masks = ", of bool or uint8 for masks", "，mask的数据类型为bool或uint8";
        optional = "`-` leaves an optional input out. ", "`-`表示不传入该可选输入。";
        /// Phrase with an attribute and its default.
        default(name, value) = "`{name}` ({value} by default)", "`{name}`（默认值为{value}）";
        none = "none", "无";
        rest =
            "`launch.h` and `launch.asc` are what another program needs.",
            "在其他程序中调用时，只需要`launch.h`和`launch.asc`。";
    }

    /// Texts in the README of an extension of PyTorch.
    Torch {
        /// Main text, with `@namespace@` where the extension's name is to be put.
        about =
            include_str!("../layout/torch/README.md"),
            include_str!("../layout/torch/README.zh.md");
        operators = "Operators", "算子列表";
        heads: [Word; 2] = ["operator", "element types"], ["算子", "数据类型"];
        /// Sentence about the operators some of whose outputs are sums, given their names.
        sums(names) =
            "Inputs of {names} that are broadcast go to the kernel as they are. Each has one element for all, or all of them have the same neighbouring dimensions.",
            "{names}的kernel直接接收需要broadcast的输入：输入只有1个元素，或者各输入具有相同且相邻的维度。";
    }
}
