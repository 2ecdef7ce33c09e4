//! Description of the machine that was timed: processor, cores, caches.

use codegen_cpu::rt::simd::Level;
use std::fs;
use std::path::Path;

/// Directory in which Linux describes the caches of its first processor.
const CACHES: &str = "/sys/devices/system/cpu/cpu0/cache";
/// Fields of `/proc/cpuinfo` that distinguish processors of one name, each with its label.
///
/// The first four exist on x86, the others on ARM.
const IDENTITY: [(&str, &str); 8] = [
    ("vendor_id", ""),
    ("cpu family", "family "),
    ("model", "model "),
    ("stepping", "stepping "),
    ("CPU implementer", "implementer "),
    ("CPU variant", "variant "),
    ("CPU part", "part "),
    ("CPU revision", "revision "),
];
/// CPU features that kernels use, and those that identify a generation of processors.
const FEATURES: [&str; 18] = [
    "avx2", "fma", "f16c", "avx512f", "avx512bw", "avx512vl", "avx512vbmi", "avx512_vbmi2",
    "avx512_bf16", "avx512_fp16", "amx_tile", "asimd", "asimdhp", "asimdfhm", "i8mm", "bf16",
    "sve", "sve2",
];

/// Describes this machine in lines: processor, features, SIMD levels, cores, caches.
pub fn machine() -> Vec<String> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let levels = Level::ALL.iter().filter(|l| l.is_available()).map(|l| l.name());
    let levels = levels.collect::<Vec<_>>().join(" ");
    let told = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let caches = caches(Path::new(CACHES));
    let lines = [
        ("processor", processor(&told).unwrap_or_else(|| std::env::consts::ARCH.to_string())),
        ("features", features(&told).unwrap_or_default()),
        ("levels", levels),
        ("cores", cores.to_string()),
        ("caches", caches.join(", ")),
    ];
    let told = lines.iter().filter(|(_, text)| !text.is_empty());
    told.map(|(name, text)| format!("{name:<9}  {text}")).collect()
}

/// Returns the value of the first field `name` in `/proc/cpuinfo`; `None` if it is empty or `unknown`.
fn field<'t>(cpuinfo: &'t str, name: &str) -> Option<&'t str> {
    let mut fields = cpuinfo.lines().filter_map(|line| line.split_once(':'));
    let (_, value) = fields.find(|(key, _)| key.trim() == name)?;
    Some(value.trim()).filter(|v| !v.is_empty() && *v != "unknown")
}

/// Returns the processor's name and the fields of [`IDENTITY`], as far as `/proc/cpuinfo` has them.
///
/// Both are needed because virtual machines often have a name that says little, and ARM has none.
fn processor(cpuinfo: &str) -> Option<String> {
    let of = |(key, label): &(&str, &str)| Some(format!("{label}{}", field(cpuinfo, key)?));
    let identity = IDENTITY.iter().filter_map(of).collect::<Vec<_>>().join(", ");
    match (field(cpuinfo, "model name"), identity.is_empty()) {
        (Some(name), true) => Some(name.to_string()),
        (Some(name), false) => Some(format!("{name} ({identity})")),
        (None, false) => Some(identity),
        (None, true) => None,
    }
}

fn features(cpuinfo: &str) -> Option<String> {
    let all = field(cpuinfo, "flags").or_else(|| field(cpuinfo, "Features"))?;
    let has = |name: &&&str| all.split_whitespace().any(|f| f == **name);
    Some(FEATURES.iter().filter(has).copied().collect::<Vec<_>>().join(" "))
}

/// Returns level and size of each cache, for example `L1d 48 KiB`, without instruction caches.
fn caches(dir: &Path) -> Vec<String> {
    let cache = |index: usize| {
        let read = |name: &str| fs::read_to_string(dir.join(format!("index{index}/{name}")));
        let (level, kind, size) = (read("level").ok()?, read("type").ok()?, read("size").ok()?);
        Some([level, kind, size].map(|text| text.trim().to_string()))
    };
    let all = (0..).map_while(cache).filter(|[_, kind, _]| kind != "Instruction");
    all.map(|[level, kind, size]| {
        let letter = if kind == "Data" { "d" } else { "" };
        format!("L{level}{letter} {}", kibibytes(&size))
    })
    .collect()
}

/// Formats the size of a cache as Linux states it: for example, `2048K` becomes `2 MiB`.
fn kibibytes(size: &str) -> String {
    match size.strip_suffix('K').and_then(|n| n.parse::<u64>().ok()) {
        Some(n) if n >= 1024 && n.is_multiple_of(1024) => format!("{} MiB", n / 1024),
        Some(n) => format!("{n} KiB"),
        None => size.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const X86: &str = "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\n\
                       model name\t: AMD EPYC 9R14\nstepping\t: 1\nflags\t\t: fpu fma avx2 avx512f\n\n\
                       processor\t: 1\nvendor_id\t: Other\n";
    const ARM: &str = "processor\t: 0\nFeatures\t: fp asimd sve\nCPU implementer\t: 0x41\n\
                       CPU variant\t: 0x1\nCPU part\t: 0xd40\nCPU revision\t: 1\n";

    #[test]
    fn name_and_identity_where_they_are() {
        let amd = "AMD EPYC 9R14 (AuthenticAMD, family 25, model 17, stepping 1)";
        assert_eq!(processor(X86).as_deref(), Some(amd));
        let arm = "implementer 0x41, variant 0x1, part 0xd40, revision 1";
        assert_eq!(processor(ARM).as_deref(), Some(arm));
        assert_eq!(processor("model name\t: unknown\n"), None);
        assert_eq!(processor(""), None);
    }

    #[test]
    fn features_in_our_order() {
        assert_eq!(features(X86).as_deref(), Some("avx2 fma avx512f"));
        assert_eq!(features(ARM).as_deref(), Some("asimd sve"));
        assert_eq!(features(""), None);
    }

    #[test]
    fn caches_of_data() {
        let place = crate::scratch::ScratchDir::new("op-dsl-caches-")
            .expect("a directory for temporary files");
        for (index, what) in
            [["1", "Data", "48K"], ["1", "Instruction", "64K"], ["2", "Unified", "2048K"]]
                .iter()
                .enumerate()
        {
            let dir = place.path().join(format!("index{index}"));
            fs::create_dir(&dir).expect("a directory");
            for (name, text) in ["level", "type", "size"].iter().zip(what) {
                fs::write(dir.join(name), format!("{text}\n")).expect("a file");
            }
        }
        assert_eq!(caches(place.path()), ["L1d 48 KiB", "L2 2 MiB"]);
        assert!(caches(Path::new("/nowhere/at/all")).is_empty());
    }

    #[test]
    fn a_line_for_each() {
        let lines = machine();
        assert!(lines.iter().all(|l| !l.contains('\n')), "{lines:?}");
        for name in ["processor  ", "levels     ", "cores      "] {
            assert!(lines.iter().any(|l| l.starts_with(name)), "{lines:?}");
        }
    }
}
