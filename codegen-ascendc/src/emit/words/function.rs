//! Texts about the functions of an operator: arguments, phases, return codes, limits, calls.

use super::refusal::{or, or_zh};
use super::table::{Word, words};
use crate::arch::Inaccurate;

words! {
    /// Words in the tables of parameters, of an operator and of phase 1 of an aclnn function.
    Arguments {
        operator_heads: [Word; 5] =
            ["Name", "Kind", "Meaning", "Type", "Format"],
            ["参数名", "输入/输出/属性", "描述", "数据类型", "数据格式"];
        heads: [Word; 7] =
            ["Name", "Kind", "Meaning", "Types", "Format", "Rank", "Strides"],
            ["参数名", "输入/输出", "描述", "数据类型", "数据格式", "维度(shape)", "非连续Tensor"];
        /// Sentence with a name in the formula, and the name of the argument that stands for it.
        named(own, argument) =
            "`{own}` in the formula is the argument `{argument}`.",
            "公式中的`{own}`对应参数`{argument}`。";
        /// Sentence with an attribute, and the value that an aclnn function fixes for it.
        fixed(name, value) = "`{name}` is {value}.", "`{name}`固定为{value}。";
        /// Sentence with an attribute, the value that one aclnn function fixes for it, and another function.
        ///
        /// The other function has an argument for the attribute.
        fixed_but(name, value, main) =
            "`{name}` is {value}; {main} has an argument for it.",
            "`{name}`固定为{value}；如需指定其他取值，请使用{main}的对应参数。";
        no_influence = "Has no influence on results.", "对计算结果没有影响。";
        not_looked_at = "Not looked at.", "预留参数，不校验也不使用。";
        unread = "A tensor that nothing reads.", "预留参数，不读取该Tensor的数据。";
        workspace_size =
            "Bytes of workspace that the second phase needs.",
            "第二段接口所需的workspace大小，单位为字节。";
        executor = "The executor of this call.", "本次调用的执行器。";
    }

    /// Sentences about the two phases of calling an aclnn function.
    Phases {
        about =
            "\
A call has two phases. The first checks the arguments and says how much workspace the second needs;
the second launches the kernel.",
            "\
一次调用分为两段：第一段接口校验参数，并给出第二段接口所需的workspace大小；第二段接口启动kernel。";
        heads: [Word; 3] = ["Name", "Type", "Meaning"], ["参数名", "类型", "描述"];
        workspace = "Workspace in device memory.", "Device侧的workspace内存。";
        workspace_size = "Its bytes, from the first phase.", "workspace的字节数，由第一段接口给出。";
        executor = "The executor from the first phase.", "执行器，由第一段接口给出。";
        stream = "The stream that the kernel runs on.", "执行kernel的Stream。";
        answer = "Answers with 0, or a code of the runtime.", "执行成功返回0，否则返回Runtime的错误码。";
    }

    /// Sentences that give the causes of return codes of phase 1.
    Codes {
        about =
            "Checks run in this order; the first that fails gives the code.",
            "按下表的顺序校验，返回第一个不满足的条件对应的错误码。";
        heads: [Word; 3] = ["Code", "Name", "When"], ["错误码", "返回码", "触发条件"];
        null: fn(&[String]) -> String =
            |names| format!("{} is a null pointer.", or(names)),
            |names| format!("{}为空指针。", or_zh(names));
        type_unknown =
            "A tensor has an element type that is not in the table above.",
            "存在数据类型不在上表范围内的Tensor。";
        types_differ = "The element types differ.", "各Tensor的数据类型不一致。";
        input_types_differ = "The element types of the inputs differ.", "各输入的数据类型不一致。";
        no_promotion =
            "The inputs promote to no element type of the table above.",
            "各输入互推导后的数据类型不在上表范围内，或无法互推导。";
        output_not_promoted =
            "An output does not have the promoted element type.",
            "存在数据类型不是互推导结果的输出。";
        output_unknown =
            "An output has an element type that is not in the table above.",
            "存在数据类型不在上表范围内的输出。";
        scalar(name) =
            "{name} is of a type that does not convert to float.",
            "{name}的数据类型不可转换为FLOAT。";
        private = "A tensor has a private format.", "存在数据格式为私有格式的Tensor。";
        dimensions = "A tensor has more than 8 dimensions.", "存在维数超过8的Tensor。";
        broadcast =
            "The inputs cannot be broadcast, or an output has another shape.",
            "各输入不满足broadcast关系，或输出的shape不是broadcast后的shape。";
        shape = "A shape does not fit the others.", "存在与其他Tensor的shape不匹配的Tensor。";
        dim(name) = "{name} is not in [-rank, rank - 1].", "{name}不在[-rank, rank-1]范围内。";
        odd = "The split dimension of a tensor with two parts is odd.", "包含两部分的Tensor的切分维大小为奇数。";
        empty = "A tensor is empty.", "存在空Tensor。";
        value(name) = "{name} has a value that is not in the table above.", "{name}的取值不在上表范围内。";
        negative(name) = "{name} is negative.", "{name}为负数。";
        /// Sentence with an argument that must not be negative where a flag is true, and that flag.
        negative_if(name, flag) =
            "{name} is negative and {flag} is true.",
            "{flag}为true，且{name}为负数。";
        infer_shape = "Shape inference fails.", "shape推导失败。";
        tiling = "Tiling fails.", "Tiling失败。";
        find_kernel = "No kernel is installed for the product.", "未安装支持该产品的kernel。";
        create_executor = "The executor cannot be created.", "创建执行器失败。";
        no_tensor = "A step of the call makes no tensor.", "调用中的某个步骤未能生成Tensor。";
    }

    /// Sentences about the limits of an operator.
    Limits {
        dimensions = "Tensors have at most 8 dimensions.", "Tensor的维数不超过8。";
        parts =
            "A tensor with two parts has at least one dimension, and an even split dimension.",
            "包含两部分的Tensor至少为1维，且切分维的大小为偶数。";
        no_empty = "No tensor may be empty.", "不支持空Tensor。";
        deterministic_on_all_cores =
            "Results are deterministic, and do not depend on the number of cores.",
            "支持确定性计算，计算结果与核数无关。";
        strided =
            "Strided tensors are copied to contiguous ones before the kernel, and results back.",
            "支持非连续Tensor：kernel执行前先转换为连续Tensor，计算结果再写回非连续的输出。";
        empty =
            "Empty tensors succeed: workspaceSize is 0 and no kernel runs.",
            "支持空Tensor：此时workspaceSize为0，不启动kernel。";
        empty_refused = "Empty tensors are refused.", "不支持空Tensor。";
        equal_shapes =
            "Shapes must be equal: tensors that are cut in two are not broadcast.",
            "各Tensor的shape必须匹配：一分为二的Tensor不支持broadcast。";
        /// Sentences about outputs that are sums, with their names.
        sums(outputs) =
            "{outputs}: each element is a sum over the elements that share an element of an input that is broadcast, in that input's shape. Such an input has one element for all, or all of them have the same neighbouring dimensions.",
            "{outputs}的每个元素是共用被broadcast的输入的同一元素的各项之和，shape与该输入相同。被broadcast的输入只有1个元素，或者各输入具有相同且相邻的维度。";
        deterministic = "Results are deterministic.", "支持确定性计算。";
        /// Sentence on 16-bit results beyond their type's range, with the products that it is about.
        saturation(products) =
            "FLOAT16 and BFLOAT16 results on {products}: with the default mode of the device (`CTRL[48]` is 0), values \
             beyond the type's range saturate at its largest number, and NaN is 0. Where `CTRL[48]` is 1 they are \
             infinity and NaN.",
            "{products}上的FLOAT16、BFLOAT16结果：在设备的默认模式下（`CTRL[48]`为0），超出数据类型表示范围的值饱和为\
             该类型的最大值，NaN变为0；`CTRL[48]`为1时保持inf和NaN。";
        /// Sentence on infinite inputs that give NaN, with the names of the inputs.
        infinities(inputs) =
            "An infinity of {inputs} gives NaN where terms of a derivative that share it have different signs; on CPUs \
             it gives an infinity.",
            "{inputs}为无穷大时，若导数中共用它的各项符号不同，则结果为NaN；在CPU上结果为无穷大。";
        /// Sentence on a result that exceeds its error budget.
        ///
        /// The first parameter lists products and element types, the second is the error.
        inaccurate: fn(&str, &Inaccurate) -> String =
            |of, Inaccurate { function, at, values: [got, want], ulp: [error, budget] }| {
                format!(
                    "Accuracy, {of}: {function} is up to {error:.1} units in the last place off, where at most {budget} is right \
                     (at {at}: {got:e}, not {want:e}). Whoever emitted this package accepted that."
                )
            },
            |of, Inaccurate { function, at, values: [got, want], ulp: [error, budget] }| {
                let by = function.replace(" by ", "，所用函数为");
                format!(
                    "精度（{of}）：{by}，误差最大为{error:.1} ulp，超过上限{budget}（{at}时结果为{got:e}，应为{want:e}）。\
                     生成本算子包时已接受该误差。"
                )
            };
    }

    /// Sentences on how the operator is called and built.
    Calls {
        heads: [Word; 3] = ["Call", "Example", "Page"], ["调用方式", "调用样例", "说明"];
        aclnn = "aclnn", "aclnn调用";
        graph = "graph", "图模式调用";
        prototype = "prototype", "算子IR";
        /// Comment between the calls of the two phases in a code listing.
        allocate =
            "status is 0: allocate workspaceSize bytes of device memory, if any",
            "status为0时，如果workspaceSize大于0，则申请同样大小的Device内存";
        /// Sentence with a link to the whole example program.
        program(link) = "The whole program: {link}.", "完整的样例代码：{link}。";
        /// Paragraph on the order of vector instructions.
        ///
        /// The parameter is the macro by which a build leaves that order to the compiler.
        build(by_compiler) =
            "Kernels have barriers (`PipeBarrier<PIPE_V>`) between dependent vector instructions. They are right whether the
compiler's automatic synchronisation (`--cce-auto-sync`) is on or off, and whatever `auto_sync` says in
`scripts/kernel/binary_config/ascendc_config.json`. Where it is surely on, the option `-D{by_compiler}`
leaves the barriers to the compiler.
",
            "kernel已在相互依赖的矢量指令之间插入同步（`PipeBarrier<PIPE_V>`），因此无论编译时是否启用自动同步\
             （`--cce-auto-sync`），也无论`scripts/kernel/binary_config/ascendc_config.json`中`auto_sync`如何配置，\
             计算结果都正确。如果确定已启用自动同步，可通过编译选项`-D{by_compiler}`改由编译器插入同步。\n";
    }
}
