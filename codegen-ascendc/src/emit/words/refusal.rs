//! Chinese sentences about refusals, and lists of alternatives in each language.

use crate::arch::{Inaccurate, Refusal, Soc, Why};
use crate::emit::type_names::type_names;

/// Joins alternatives into one phrase, for example `a, b or c`.
pub(super) fn or(names: &[String]) -> String {
    match names {
        [one @ .., last] if !one.is_empty() => format!("{} or {last}", one.join(", ")),
        names => names.concat(),
    }
}

/// Joins alternatives into one phrase, with the Chinese word for "or" before the last.
pub(super) fn or_zh(names: &[String]) -> String {
    match names {
        [one @ .., last] if !one.is_empty() => format!("{}或{last}", one.join("、")),
        names => names.concat(),
    }
}

/// Says in Chinese what a product does not support, and why.
pub(super) fn refusal_zh(Refusal { op, soc, dtypes, why }: &Refusal) -> String {
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
            let names = or_zh(&names);
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
        Why::Sum(soc, name) => {
            let arch = soc.arch.number;
            format!(
                "`{name}`是多个元素之和，核函数仅在ascend910b和ascend950上计算求和，且不支持mask、可选输入或交错排列的两部分\
                （架构{arch}），请用`broadcast = false`推导梯度后再求和"
            )
        }
        Why::Missing(name) => {
            format!("没有可计算`{name}`的矢量指令序列，只能在CPU上计算，请改写公式")
        }
        Why::Rows(function, beside) => {
            format!(
                "公式中有`{function}`，目前尚不为{}生成行函数的核函数，请在CPU上计算",
                beside_zh(beside)
            )
        }
        Why::Own(name, stored) => {
            format!(
                "`{name}`的数据类型固定为{stored}，目前尚不能为NPU生成这样的Tensor，请将`{name}`写为`Elem`，并在算子之外转换"
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

/// Returns what kernels of row functions do not go with, in Chinese.
fn beside_zh(beside: &str) -> String {
    match beside {
        "sums over broadcast inputs" => "广播输入上的求和".into(),
        "masks" => "mask".into(),
        "counts of rows" => "行数输入".into(),
        "optional inputs" => "可选输入".into(),
        "interleaved parts" => "交错排列的两部分".into(),
        arch => arch.replace("architecture ", "架构"),
    }
}
