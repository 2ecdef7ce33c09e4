//! What differs between the architectures of a package: in kernels the preprocessor picks it, in the
//! interface the platform. What does not differ is written once.

use super::package::Package;
use super::text::Text;
use crate::arch::Arch;

/// Texts of the architectures: each once, with the numbers of those that share it.
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

/// `test2201 || test3510`
fn any(archs: &[u16], test: &str) -> String {
    let all: Vec<String> = archs.iter().map(|number| format!("{test}{number}")).collect();
    all.join(" || ")
}

/// Texts between the branches of the preprocessor; empty ones need no branch.
fn branches(texts: &[(Vec<u16>, String)]) -> Text {
    let mut out = Text::new();
    for (archs, text) in texts.iter().filter(|(_, text)| !text.is_empty()) {
        let word = if out.is_empty() { "#if" } else { "#elif" };
        out.line(format!("{word} {}", any(archs, "__NPU_ARCH__ == "))).lines(text);
    }
    out
}

/// For kernels: a text for each architecture, which may be empty.
pub fn in_kernel(package: &Package<'_>, of: impl Fn(&'static Arch) -> String) -> String {
    let mut texts = texts(package, of);
    if texts.len() == 1 {
        return texts.remove(0).1;
    }
    let mut out = branches(&texts);
    out.line("#endif");
    out.finish()
}

/// For a header that the host includes too, where there is no architecture: as [`in_kernel`], with the
/// host's text.
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

/// For the interface: statements for each architecture, of which the last stands for all others.
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
