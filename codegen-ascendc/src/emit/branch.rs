//! Code that differs between the architectures of a package; code that does not differ is written once.
//!
//! Kernels select it by the preprocessor, the interface by the platform.

use super::package::Package;
use super::text::Text;
use crate::arch::Arch;

/// Calls `of` for every architecture, and collects the distinct texts that it returns.
///
/// Each text comes with the numbers of the architectures that share it.
fn texts(package: &Package<'_>, of: impl Fn(&'static Arch) -> String) -> Vec<(Vec<u16>, String)> {
    let mut texts: Vec<(Vec<u16>, String)> = Vec::new();
    for arch in package.archs() {
        let text = of(arch);
        match texts.iter_mut().find(|(_, t)| *t == text) {
            Some((archs, _)) => archs.push(arch.number),
            None => texts.push((vec![arch.number], text)),
        }
    }
    texts
}

/// Joins one test per architecture by `||`: for `test` and 2201, 3510 this is `test2201 || test3510`.
fn any(archs: &[u16], test: &str) -> String {
    let all: Vec<String> = archs.iter().map(|number| format!("{test}{number}")).collect();
    all.join(" || ")
}

/// Writes each text that is not empty below an `#if` or `#elif` that tests its architectures.
///
/// The `#endif` is left to the caller.
fn branches(texts: &[(Vec<u16>, String)]) -> Text {
    let mut out = Text::new();
    for (archs, text) in texts.iter().filter(|(_, text)| !text.is_empty()) {
        let word = if out.is_empty() { "#if" } else { "#elif" };
        out.line(format!("{word} {}", any(archs, "__NPU_ARCH__ == "))).lines(text);
    }
    out
}

/// Returns kernel code that consists of the text that `of` returns for each architecture.
///
/// Different texts are selected by `#if __NPU_ARCH__ == ..`; a text may be empty.
pub fn in_kernel(package: &Package<'_>, of: impl Fn(&'static Arch) -> String) -> String {
    let mut texts = texts(package, of);
    if texts.len() == 1 {
        return texts.remove(0).1;
    }
    let mut out = branches(&texts);
    out.line("#endif");
    out.finish()
}

/// Returns code for a header that both the kernel and the host include.
///
/// Kernels take the text of their architecture, as by [`in_kernel`]. The host takes `on_host`, because it has no architecture.
pub fn in_both(
    package: &Package<'_>,
    of: impl Fn(&'static Arch) -> String,
    on_host: String,
) -> String {
    let texts: Vec<_> = texts(package, of).into_iter().filter(|(_, t)| *t != on_host).collect();
    if texts.is_empty() || package.archs().len() == 1 {
        return on_host;
    }
    let mut out = branches(&texts);
    out.line("#else").lines(on_host).line("#endif");
    out.finish()
}

/// Returns interface code that runs the statements that `of` returns for the device's architecture.
///
/// Different statements are selected at run time by the platform's architecture; the last ones apply to all other
/// architectures.
pub fn by_platform(package: &Package<'_>, of: impl Fn(&'static Arch) -> String) -> String {
    let mut texts = texts(package, of);
    if texts.len() == 1 {
        return texts.remove(0).1;
    }
    let last = texts.len() - 1;
    let head = |(i, (archs, _)): (usize, &(Vec<u16>, String))| match i {
        0 => format!("if ({})", any(archs, "arch == NpuArch::DAV_")),
        i if i == last => "else".into(),
        _ => format!("else if ({})", any(archs, "arch == NpuArch::DAV_")),
    };
    let heads = texts.iter().enumerate().map(head);
    let blocks: Vec<(String, String)> =
        heads.zip(&texts).map(|(head, (_, text))| (head, text.clone())).collect();
    let mut out = Text::new();
    out.line("const NpuArch arch = GetCurrentPlatformInfo().GetCurNpuArch();").chain(&blocks);
    out.finish()
}
