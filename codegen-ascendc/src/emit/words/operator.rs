//! Texts about an operator: its files, formula, tensors and attributes.

use super::refusal::{or, or_zh};
use super::table::{Word, words};

words! {
    /// Punctuation that joins words and sentences.
    Signs {
        comma = ", ", "、";
        stop = ".", "。";
        /// Text between two sentences of a paragraph.
        gap = " ", "";
        /// Phrase for a number (first parameter) and its name (second).
        named(value, name) = "{value} ({name})", "{value}（{name}）";
    }

    /// Sentences in the comment at the head of a file.
    Comments {
        /// Sentence with the operator's name and what the file is.
        file(operator, what) = "{operator}: {what}.", "{operator}：{what}。";
        /// Sentence that says from which source location the file was generated.
        origin(source) = "Generated from {source}; do not edit.", "由{source}生成，请勿修改。";
        /// Sentence for a file that several operators share, with the list of their names.
        shared(operators) = "{operators}: generated, do not edit", "{operators}：自动生成，请勿修改";
        readme = "an operator for ops-nn", "ops-nn算子";
        page = "the aclnn functions of one name", "一组aclnn接口";
        direct = "a kernel that is launched directly", "直接调用的kernel";
    }

    /// Headings of sections.
    Titles {
        products = "Products", "产品支持情况";
        function = "Function", "功能说明";
        parameters = "Parameters", "参数说明";
        constraints = "Constraints", "约束说明";
        calls = "Calls", "调用说明";
        build = "Build", "编译说明";
        registration = "Registration", "算子注册";
        directory = "In the repository's directory", "仓库目录说明";
        prototypes = "Prototypes", "函数原型";
        codes = "Return codes", "返回码";
        example = "Example", "调用示例";
    }

    /// Words in the table of supported products.
    Products {
        heads: [Word; 3] = ["Product", "Compute unit", "In this package"], ["产品", "NPU型号", "是否支持"];
        yes = "yes", "√";
        no = "no", "×";
        /// Vendor's names of products: pairs of the name in [`crate::arch::SOCS`] and the vendor's name.
        families: &'static [(&'static str, Word)] =
            &[
                ("ascend910b", "Atlas A2 training and inference products"),
                ("ascend910_93", "Atlas A3 training and inference products"),
                ("ascend310p", "Atlas inference products"),
                ("ascend950", "Ascend 950PR, Ascend 950DT"),
                ("ascend910", "Atlas training products"),
            ],
            &[
                ("ascend910b", "Atlas A2 训练系列产品/Atlas A2 推理系列产品"),
                ("ascend910_93", "Atlas A3 训练系列产品/Atlas A3 推理系列产品"),
                ("ascend310p", "Atlas 推理系列产品"),
                ("ascend950", "Ascend 950PR/Ascend 950DT"),
                ("ascend910", "Atlas 训练系列产品"),
            ];
    }

    /// Sentences about the formula of an operator.
    Formula {
        /// Sentence that names the operator of which this one is the gradient.
        gradient_of: fn(&str) -> String =
            op_dsl_ir::doc::of_gradient,
            |forward| format!("`{forward}`的梯度（反向算子）。");
        as_written(source) = "As written in `{source}`:", "算子的公式在源码`{source}`中的写法：";
        /// Heading of a specialisation's formula, with the attribute values that select it.
        with: fn(&[String]) -> String =
            |attributes| format!("With {}:", attributes.join(", ")),
            |attributes| format!("{}时：", attributes.join("，"));
        given(input) = "{input} given", "传入{input}";
        not_given(input) = "{input} left out", "不传入{input}";
        halves: [Word; 2] = ["first half", "second half"], ["前半部分", "后半部分"];
        alternating: [Word; 2] = ["even elements", "odd elements"], ["偶数位置的元素", "奇数位置的元素"];
        either: [Word; 2] = ["first part", "second part"], ["第一部分", "第二部分"];
        /// Sentence with the split dimension, which part is the gate, and which part is the value.
        gate(dim, gate, value) =
            "Along dimension `{dim}`, the gate is the {gate}, the value the {value}.",
            "沿`{dim}`维切分：门控部分（gate）为{gate}，数值部分（value）为{value}。";
        /// Sentence for a gate that an attribute selects.
        ///
        /// The parameters are the split dimension, the attribute, the gate if the attribute is true, and the other part.
        gate_if(dim, flag, gate, other) =
            "Along dimension `{dim}`, the gate is the {gate} if `{flag}` is true, else the \
             {other}; the value is the rest.",
            "沿`{dim}`维切分：`{flag}`为true时，门控部分（gate）为{gate}，否则为{other}；其余为数值部分（value）。";
        /// Sentence with the attribute that says whether the two parts are interleaved.
        alternating_if(flag) =
            "Parts are even and odd elements if `{flag}` is true, else halves.",
            "`{flag}`为true时，两部分分别为偶数位置和奇数位置的元素，否则为前后两半。";
    }

    /// Words for the role of a parameter: input, attribute, output.
    Kinds {
        input = "input", "输入";
        optional_input = "optional input", "可选输入";
        attribute = "attribute", "属性";
        output = "output", "输出";
    }

    /// Sentences that describe parameters that are tensors.
    Tensors {
        read = "Read by the formula.", "参与公式计算。";
        not_read = "Checked, but not read.", "仅参与校验，不参与计算。";
        written = "Written whole.", "计算结果，所有元素均会写入。";
        shape_broadcast = "The shape to which the inputs broadcast.", "shape为所有输入broadcast后的shape。";
        shape_broadcasts = "Broadcasts with the other inputs.", "shape与其他输入满足broadcast关系。";
        /// Sentence about an input that lies along a dimension if it has one dimension.
        shape_along(dim) =
            "One element, or one dimension, as long as dimension {dim} of the others. With more dimensions, broadcasts with them.",
            "1个元素，或者为1维且大小与其他输入的第{dim}维（从0开始）相同；多维时与其他输入满足broadcast关系。";
        /// Sentence about the shape of a sum, with the input that has it.
        shape_sum(input) = "The shape of {input}.", "shape与{input}相同。";
        shape_wide = "The shape of the computation: never broadcast.", "shape为参与计算的shape，不做broadcast。";
        shape_both = "Both parts: even along the split dimension.", "包含门控和数值两部分，切分维的大小为偶数。";
        shape_half =
            "Half of a tensor with both parts along the split dimension.",
            "切分维的大小是包含两部分的Tensor的一半。";
        shape_per_row =
            "One number per row: the shape of the computation with 1 for the last dimension.",
            "每行一个数：shape为参与计算的shape，但最后一维的大小为1。";
        shape_same = "The same for all tensors.", "所有Tensor的shape相同。";
        bits =
            "Truth values, eight to a byte, the first in the lowest bit.",
            "真值，每8个元素占1个字节，第1个元素在最低位。";
        bytes = "Truth values: what is not 0 is true.", "真值，非0表示true。";
        /// Sentence that describes an input with row counts, whose sum is the number of computed rows.
        counts =
            "One dimension: as many rows as the sum of its entries are computed, others are zeros. Rows are what the dimensions before the split dimension make. A negative entry counts as 0.",
            "1维，所有元素之和为参与计算的行数，其余各行的结果为0。行数为切分维之前所有维度大小的乘积。负数按0处理。";
        type_own = "The same element type in every call.", "数据类型固定不变。";
        type_same = "The same element type for all tensors.", "所有Tensor的数据类型相同。";
        type_same_inputs = "The same element type for all inputs.", "所有输入的数据类型相同。";
        type_promoted = "Promoted with the other inputs.", "数据类型与其他输入满足互推导关系。";
        type_of_promotion = "The element type that the inputs promote to.", "数据类型为所有输入互推导后的数据类型。";
        type_cast = "The result is cast to its element type.", "计算结果转换为该Tensor的数据类型。";
        null = "A null pointer leaves it out.", "可选，传入空指针表示不使用该输入。";
        /// Phrase with the minimum and the maximum number of dimensions.
        rank(least, most) = "{least} to {most}", "{least}-{most}";
        any_strides = "any", "√";
    }

    /// Sentences that describe parameters that are attributes.
    Attributes {
        default(value) = "Default: {value}.", "默认值为{value}。";
        split =
            "The dimension that is cut in two, in [-rank, rank - 1].",
            "一分为二的维度，取值范围为[-rank, rank-1]，其中rank为维数。";
        dim = "A dimension, in [-rank, rank - 1].", "维度，取值范围为[-rank, rank-1]，其中rank为维数。";
        gate = "Whether the first part is the gate.", "第一部分是否为门控部分。";
        alternating =
            "Whether parts are even and odd elements, else halves.",
            "true表示两部分分别为偶数位置和奇数位置的元素，false表示前后两半。";
        bool = "true or false.", "取值为true或false。";
        int = "An integer.", "整数。";
        float = "A number, the same for every element.", "标量，对所有元素取值相同。";
        /// Sentence that lists the allowed values of an attribute.
        values: fn(&[String]) -> String =
            |values| format!("{}.", or(values)),
            |values| format!("取值为{}。", or_zh(values));
        scalar = "Of any type that converts to float.", "数据类型可转换为FLOAT。";
        null = "A null pointer is the default.", "可选，传入空指针时取默认值。";
        negative_zero = "Negative numbers count as 0.", "负数按0处理。";
        not_negative = "Not negative.", "不支持负数。";
        not_negative_if(flag) = "Not negative where {flag} is true.", "{flag}为true时不支持负数。";
    }
}
