//! Chinese, in the terms of CANN's documents.
//!
//! Punctuation is full-width, and there is no space between Chinese and other words.

use super::table::*;
use crate::arch::{Inaccurate, Refusal, Soc, Why};
use crate::emit::type_names::type_names;

pub(super) static WORDS: Words = Words {
    signs: Signs {
        comma: "、",
        stop: "。",
        gap: "",
        named: |value, name| format!("{value}（{name}）"),
    },
    comments: Comments {
        file: |operator, what| format!("{operator}：{what}。"),
        origin: |source| format!("由{source}生成，请勿修改。"),
        shared: |operators| format!("{operators}：自动生成，请勿修改"),
        readme: "ops-nn算子",
        page: "一组aclnn接口",
        direct: "直接调用的kernel",
    },
    titles: Titles {
        products: "产品支持情况",
        function: "功能说明",
        parameters: "参数说明",
        constraints: "约束说明",
        calls: "调用说明",
        build: "编译说明",
        registration: "算子注册",
        directory: "仓库目录说明",
        prototypes: "函数原型",
        codes: "返回码",
        example: "调用示例",
    },
    products: Products {
        heads: ["产品", "NPU型号", "是否支持"],
        yes: "√",
        no: "×",
        families: &[
            ("ascend910b", "Atlas A2 训练系列产品/Atlas A2 推理系列产品"),
            ("ascend910_93", "Atlas A3 训练系列产品/Atlas A3 推理系列产品"),
            ("ascend310p", "Atlas 推理系列产品"),
            ("ascend950", "Ascend 950PR/Ascend 950DT"),
            ("ascend910", "Atlas 训练系列产品"),
        ],
    },
    formula: Formula {
        gradient_of: |forward| format!("`{forward}`的梯度（反向算子）。"),
        as_written: |source| format!("算子的公式在源码`{source}`中的写法："),
        with: |attributes| format!("{}时：", attributes.join("，")),
        given: |input| format!("传入{input}"),
        not_given: |input| format!("不传入{input}"),
        halves: ["前半部分", "后半部分"],
        alternating: ["偶数位置的元素", "奇数位置的元素"],
        either: ["第一部分", "第二部分"],
        gate: |dim, gate, value| {
            format!("沿`{dim}`维切分：门控部分（gate）为{gate}，数值部分（value）为{value}。")
        },
        gate_if: |dim, flag, gate, other| {
            format!(
                "沿`{dim}`维切分：`{flag}`为true时，门控部分（gate）为{gate}，否则为{other}；其余为数值部分（value）。"
            )
        },
        alternating_if: |flag| {
            format!("`{flag}`为true时，两部分分别为偶数位置和奇数位置的元素，否则为前后两半。")
        },
    },
    kinds: Kinds {
        input: "输入", optional_input: "可选输入", attribute: "属性", output: "输出"
    },
    tensors: Tensors {
        read: "参与公式计算。",
        not_read: "仅参与校验，不参与计算。",
        written: "计算结果，所有元素均会写入。",
        shape_broadcast: "shape为所有输入broadcast后的shape。",
        shape_broadcasts: "shape与其他输入满足broadcast关系。",
        shape_both: "包含门控和数值两部分，切分维的大小为偶数。",
        shape_half: "切分维的大小是包含两部分的Tensor的一半。",
        shape_same: "所有Tensor的shape相同。",
        bits: "真值，每8个元素占1个字节，第1个元素在最低位。",
        bytes: "真值，非0表示true。",
        counts: "1维，所有元素之和为参与计算的行数，其余各行的结果为0。行数为切分维之前所有维度大小的乘积。负数按0处理。",
        type_same: "所有Tensor的数据类型相同。",
        type_same_inputs: "所有输入的数据类型相同。",
        type_promoted: "数据类型与其他输入满足互推导关系。",
        type_of_promotion: "数据类型为所有输入互推导后的数据类型。",
        type_cast: "计算结果转换为该Tensor的数据类型。",
        null: "可选，传入空指针表示不使用该输入。",
        rank: |least, most| format!("{least}-{most}"),
        any_strides: "√",
    },
    attributes: Attributes {
        default: |value| format!("默认值为{value}。"),
        split: "一分为二的维度，取值范围为[-rank, rank-1]，其中rank为维数。",
        dim: "维度，取值范围为[-rank, rank-1]，其中rank为维数。",
        gate: "第一部分是否为门控部分。",
        alternating: "true表示两部分分别为偶数位置和奇数位置的元素，false表示前后两半。",
        bool: "取值为true或false。",
        int: "整数。",
        float: "标量，对所有元素取值相同。",
        values: |values| format!("取值为{}。", or(values)),
        scalar: "数据类型可转换为FLOAT。",
        null: "可选，传入空指针时取默认值。",
        negative_zero: "负数按0处理。",
        not_negative: "不支持负数。",
        not_negative_if: |flag| format!("{flag}为true时不支持负数。"),
    },
    arguments: Arguments {
        operator_heads: ["参数名", "输入/输出/属性", "描述", "数据类型", "数据格式"],
        heads: [
            "参数名",
            "输入/输出",
            "描述",
            "数据类型",
            "数据格式",
            "维度(shape)",
            "非连续Tensor",
        ],
        named: |own, argument| format!("公式中的`{own}`对应参数`{argument}`。"),
        fixed: |name, value| format!("`{name}`固定为{value}。"),
        fixed_but: |name, value, main| {
            format!("`{name}`固定为{value}；如需指定其他取值，请使用{main}的对应参数。")
        },
        no_influence: "对计算结果没有影响。",
        not_looked_at: "预留参数，不校验也不使用。",
        unread: "预留参数，不读取该Tensor的数据。",
        workspace_size: "第二段接口所需的workspace大小，单位为字节。",
        executor: "本次调用的执行器。",
    },
    phases: Phases {
        about: "\
一次调用分为两段：第一段接口校验参数，并给出第二段接口所需的workspace大小；第二段接口启动kernel。",
        heads: ["参数名", "类型", "描述"],
        workspace: "Device侧的workspace内存。",
        workspace_size: "workspace的字节数，由第一段接口给出。",
        executor: "执行器，由第一段接口给出。",
        stream: "执行kernel的Stream。",
        answer: "执行成功返回0，否则返回Runtime的错误码。",
    },
    codes: Codes {
        about: "按下表的顺序校验，返回第一个不满足的条件对应的错误码。",
        heads: ["错误码", "返回码", "触发条件"],
        null: |names| format!("{}为空指针。", or(names)),
        type_unknown: "存在数据类型不在上表范围内的Tensor。",
        types_differ: "各Tensor的数据类型不一致。",
        input_types_differ: "各输入的数据类型不一致。",
        no_promotion: "各输入互推导后的数据类型不在上表范围内，或无法互推导。",
        output_not_promoted: "存在数据类型不是互推导结果的输出。",
        output_unknown: "存在数据类型不在上表范围内的输出。",
        scalar: |name| format!("{name}的数据类型不可转换为FLOAT。"),
        private: "存在数据格式为私有格式的Tensor。",
        dimensions: "存在维数超过8的Tensor。",
        broadcast: "各输入不满足broadcast关系，或输出的shape不是broadcast后的shape。",
        shape: "存在与其他Tensor的shape不匹配的Tensor。",
        dim: |name| format!("{name}不在[-rank, rank-1]范围内。"),
        odd: "包含两部分的Tensor的切分维大小为奇数。",
        empty: "存在空Tensor。",
        value: |name| format!("{name}的取值不在上表范围内。"),
        negative: |name| format!("{name}为负数。"),
        negative_if: |name, flag| format!("{flag}为true，且{name}为负数。"),
        infer_shape: "shape推导失败。",
        tiling: "Tiling失败。",
        find_kernel: "未安装支持该产品的kernel。",
        create_executor: "创建执行器失败。",
        no_tensor: "调用中的某个步骤未能生成Tensor。",
    },
    limits: Limits {
        dimensions: "Tensor的维数不超过8。",
        parts: "包含两部分的Tensor至少为1维，且切分维的大小为偶数。",
        no_empty: "不支持空Tensor。",
        deterministic_on_all_cores: "支持确定性计算，计算结果与核数无关。",
        strided: "\
            支持非连续Tensor：kernel执行前先转换为连续Tensor，计算结果再写回非连续的输出。",
        empty: "支持空Tensor：此时workspaceSize为0，不启动kernel。",
        empty_refused: "不支持空Tensor。",
        equal_shapes: "各Tensor的shape必须匹配：一分为二的Tensor不支持broadcast。",
        deterministic: "支持确定性计算。",
        saturation: |products| {
            format!(
                "{products}上的FLOAT16、BFLOAT16结果：在设备的默认模式下（`CTRL[48]`为0），超出数据类型表示范围的值饱和为\
                该类型的最大值，NaN变为0；`CTRL[48]`为1时保持inf和NaN。"
            )
        },
        infinities: |inputs| {
            format!(
                "{inputs}为无穷大时，若导数中共用它的各项符号不同，则结果为NaN；在CPU上结果为无穷大。"
            )
        },
        inaccurate: |of, Inaccurate { function, at, values: [got, want], ulp: [error, budget] }| {
            let by = function.replace(" by ", "，所用函数为");
            format!(
                "精度（{of}）：{by}，误差最大为{error:.1} ulp，超过上限{budget}（{at}时结果为{got:e}，应为{want:e}）。\
                生成本算子包时已接受该误差。"
            )
        },
    },
    calls: Calls {
        heads: ["调用方式", "调用样例", "说明"],
        aclnn: "aclnn调用",
        graph: "图模式调用",
        prototype: "算子IR",
        allocate: "status为0时，如果workspaceSize大于0，则申请同样大小的Device内存",
        program: |link| format!("完整的样例代码：{link}。"),
        build: |by_compiler| {
            format!(
                "kernel已在相互依赖的矢量指令之间插入同步（`PipeBarrier<PIPE_V>`），因此无论编译时是否启用自动同步\
                （`--cce-auto-sync`），也无论`scripts/kernel/binary_config/ascendc_config.json`中`auto_sync`如何配置，\
                计算结果都正确。如果确定已启用自动同步，可通过编译选项`-D{by_compiler}`改由编译器插入同步。\n"
            )
        },
    },
    registration: Registration {
        prototype: |tensors| {
            format!("图原型与ops-nn一致：`{tensors}`，参数名、数据类型、属性均相同。")
        },
        no_prototype: "ops-nn的该目录中没有图原型，此处的图原型由算子定义得到。",
        prototype_only: |names| {
            format!("与ops-nn相同，图原型的{names}不在算子定义中，不参与计算。")
        },
        at_default: |name, value| format!("算子定义包含`{name}`，仅支持取值{value}。"),
        types: |types| format!("ops-nn的算子定义还支持{types}，本算子不支持：kernel以浮点数计算。"),
        mixed: "ops-nn的算子定义允许一次调用中各Tensor的数据类型不同，本算子不支持：由aclnn接口转换数据类型。",
        socs: |socs| format!("ops-nn的算子定义还支持{socs}，本算子不支持。"),
        required: "与ops-nn相同，算子定义中的属性均为必选。",
        definition: "算子定义的参数名、数据类型、属性与ops-nn一致。",
        no_function: "ops-nn没有该算子的aclnn接口，此处也不提供，通过图模式调用。",
        replaced: "替换：`CMakeLists.txt`、`README.md`、`op_host`（含`op_host/config`）、`op_kernel`、`op_api`、图原型，以及对应的`tests/ut`和同名接口的文档、示例。\
其中的旧源码必须删除：编译时会收集目录下的所有源文件。",
        stays: |paths| format!("保留：{paths}。这些文件依赖图原型和参数名，可继续使用。"),
        functions: |names| {
            format!(
                "旧接口中的{names}不在本算子中。`emit --layout ops-nn --into CHECKOUT --keep-interface`保留旧接口，仅替换kernel和host代码。"
            )
        },
        tests: |types| format!("不再适用：`tests/st`中数据类型为{types}的用例。"),
    },
    custom: Custom {
        title: |units| format!("自定义算子工程（{units}）"),
        heads: ["算子", "接口", "数据类型"],
        build: "\
要求CANN 9.0及以上版本，CMake 3.16及以上版本：

```sh
source <toolkit>/set_env.sh
cmake -S . -B build_out
cmake --build build_out --target binary package -j $(nproc)
```

通过`-DASCEND_COMPUTE_UNIT=..`指定同一架构的其他NPU型号，多个型号之间用英文分号分隔。
CANN 8.0至8.5请使用`emit --layout custom --cann 8`生成的工程。
",
        build_8: "\
要求CANN 8.x版本，CMake 3.19及以上版本：

```sh
source <toolkit>/set_env.sh
./build.sh
```

该版本的CANN没有提供用于算子编译的CMake包，每个工程各自带有一份由`msopgen gen`生成的编译文件。\
`build.sh`先为`msopgen.json`中的占位算子在临时目录生成一个工程，从中取出`cmake/`、`scripts/`和\
`CMakeLists.txt`，再执行编译。目录中的其他文件属于算子本身。`CMakePresets.json`用于指定NPU型号。\
CANN 9不需要这些步骤：`emit --cann 9`直接生成对应的工程。
",
        install: "安装说明",
        installed: |vendor| {
            format!(
                "\
默认安装到`$ASCEND_OPP_PATH/vendors/{vendor}`；指定`--install-path=P`时，安装到`P/vendors/{vendor}`，\
使用前需要source其中的`bin/set_env.bash`。"
            )
        },
        call: "调用说明",
        called: "\
每个算子有两个函数，`aclnn<Operator>GetWorkspaceSize`和`aclnn<Operator>`，在安装包的\
`op_api/include`目录中声明。Tensor的shape须符合算子定义：不做broadcast，也不做数据类型推导。",
        left_out: |operator| format!("{operator}不支持的场景"),
    },
    direct: Direct {
        about: |units| format!("在{units}上直接调用kernel，不需要安装算子包。"),
        files: |masks, optional, attributes| {
            format!(
                "命令行参数依次为输入文件和用于比对的结果文件，格式为`.npy`，数据类型为float16、float32，\
                或存放bfloat16二进制位的uint16{masks}。{optional}属性以`name=value`的形式写在文件之前：{attributes}。"
            )
        },
        masks: "，mask的数据类型为bool或uint8",
        optional: "`-`表示不传入该可选输入。",
        default: |name, value| format!("`{name}`（默认值为{value}）"),
        none: "无",
        rest: "在其他程序中调用时，只需要`launch.h`和`launch.asc`。",
    },
    torch: Torch {
        about: include_str!("../layout/torch/README.zh.md"),
        operators: "算子列表",
        heads: ["算子", "数据类型"],
    },
    refusal,
};

/// Joins alternatives into one phrase, with the Chinese word for "or" before the last.
fn or(names: &[String]) -> String {
    match names {
        [one @ .., last] if !one.is_empty() => format!("{}或{last}", one.join("、")),
        names => names.concat(),
    }
}

fn refusal(Refusal { op, soc, dtypes, why }: &Refusal) -> String {
    let dtypes: Vec<&str> = dtypes.iter().map(|d| type_names(*d).document).collect();
    format!("{op}（{soc}，{}）：{}", dtypes.join("、"), reason(why))
}

fn reason(why: &Why) -> String {
    match why {
        Why::DType(allowed) => format!("该算子没有这种数据类型的实现，请使用{allowed}"),
        Why::NoDType(soc, dtype) => {
            let names: Vec<String> =
                soc.arch.dtypes.iter().map(|d| type_names(*d).document.to_string()).collect();
            let (arch, elsewhere, dtype) =
                (soc.arch.number, Soc::with(*dtype), type_names(*dtype).document);
            let names = or(&names);
            format!("架构{arch}不支持{dtype}，请使用{names}，或改用{elsewhere}")
        }
        Why::OneMask(soc, name) => {
            let arch = soc.arch.number;
            format!(
                "架构{arch}的选择指令在各次迭代（repeat）中使用相同的比特，因此`{name}`不能按比特存放，请按字节存放"
            )
        }
        Why::MaskOfRows(soc, name) => {
            let arch = soc.arch.number;
            format!(
                "mask`{name}`的各行与切分后Tensor的各行不在同样的位置按块对齐，而架构{arch}要求对齐，\
                请写作`{name}: Elem`和`{name} != 0.0`，或在ascend910b上按字节存放"
            )
        }
        Why::Sum(name) => {
            format!(
                "`{name}`是多个元素之和，生成的核函数不计算求和，请用`broadcast = false`推导梯度后再求和"
            )
        }
        Why::LeftOut(what, instead) => {
            format!("该产品上的算子文档不包含{what}的场景，请使用{instead}")
        }
        Why::Inaccurate(found) => {
            let Inaccurate { function, at, values: [got, want], ulp: [error, budget] } = &**found;
            let by = function.replace(" by ", "，所用函数为");
            format!(
                "{by}：误差为{error:.1} ulp，上限为{budget}（{at}时结果为{got:e}，应为{want:e}），\
                请改写公式，不生成该数据类型，或用--accept-error（构建脚本中为`accept_error: true`）接受该误差"
            )
        }
        Why::NoOverload(call) => {
            format!("`{call}`没有可在此处使用标量的形式，请将公式中的这一项写为Tensor")
        }
        Why::Unplanned(call) => {
            format!("没有为`{call}`的某个值找到缓冲区，这是规划阶段的缺陷，请反馈该公式")
        }
        Why::Ub(e) => format!(
            "UB大小为{}字节，而每个数据流各取一个32字节的块就需要{}字节，请减少算子的输入和输出，或使用UB更大的产品",
            e.have, e.need
        ),
    }
}
