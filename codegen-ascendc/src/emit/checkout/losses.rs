//! Finds the interfaces of an operator's directory that the emitted one lacks.
//!
//! Files are searched as texts: a name that occurs in the old ones but not in the new ones is a loss.

use super::fate::Fate;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

type Files = BTreeMap<String, Vec<u8>>;

/// Directories in which no clash with emitted files is searched for.
///
/// Their files are built separately, so that equal names in them do not clash.
const SKIPPED: [&str; 3] = [".git", "experimental", "tests"];

/// Returns whether the file with this path is a header that declares aclnn functions.
fn is_header(path: &str) -> bool {
    path.contains("op_api/") && path.ends_with(".h")
}

/// Returns what the old files of an operator's directory offer and the new files do not.
///
/// The comparison covers functions (unless `keep_interface` is set), tensors, attributes, element types and products. Each
/// entry is a few words for a report.
pub fn offered(
    operator: &str,
    old: &Files,
    new: &BTreeMap<&str, &str>,
    keep_interface: bool,
) -> Vec<String> {
    if old.is_empty() {
        return Vec::new();
    }
    let of_old = |is: fn(&str) -> bool| -> String {
        let files = old.iter().filter(|(path, _)| is(path));
        files.map(|(_, text)| uncommented(&String::from_utf8_lossy(text))).collect()
    };
    let of_new = |is: fn(&str) -> bool| -> String {
        new.iter().filter(|(path, _)| is(path)).map(|(_, text)| uncommented(text)).collect()
    };
    let mut lost = Vec::new();
    let mut compare = |what: &str, old: BTreeSet<String>, new: BTreeSet<String>| {
        lost.extend(old.difference(&new).map(|name| format!("{what}{name}")));
    };
    let is_definition: fn(&str) -> bool = |p| p.starts_with("op_host/") && p.ends_with("_def.cpp");
    let is_prototype: fn(&str) -> bool = |p| p.starts_with("op_graph/") && p.ends_with("_proto.h");
    let [before, after] = [of_old(is_definition), of_new(is_definition)];
    if !keep_interface {
        let mut functions = declared(&of_old(is_header));
        // The build generates the interface, with a function for each version of the definition.
        if !build_files(old).contains("aclnn_exclude") && functions.is_empty() {
            functions.insert(format!("aclnn{operator}"));
            functions.extend(versions(&before).map(|v| format!("aclnn{operator}V{v}")));
        }
        compare("", functions, declared(&of_new(is_header)));
    }
    for kind in ["Input", "Output", "Attr"] {
        let named = |text: &str| quoted(text, &format!("{kind}("));
        compare(
            &format!("{} of the definition: ", kind.to_lowercase()),
            named(&before),
            named(&after),
        );
    }
    compare("element type: ", types(&before), types(&after));
    compare("product: ", quoted(&before, "AddConfig("), quoted(&after, "AddConfig("));
    let own = new.keys().find(|p| is_prototype(p)).copied().unwrap_or_default();
    let text = |text: Option<String>| uncommented(&text.unwrap_or_default());
    let before = text(old.get(own).map(|t| String::from_utf8_lossy(t).into_owned()));
    let after = text(new.get(own).map(|t| t.to_string()));
    for kind in [".INPUT(", ".OPTIONAL_INPUT(", ".OUTPUT(", ".ATTR(", ".REQUIRED_ATTR("] {
        let of = |text: &str| words_after(text, kind);
        compare(
            &format!("{} of the prototype: ", &kind[1..kind.len() - 1]),
            of(&before),
            of(&after),
        );
    }
    lost
}

/// Returns whether the text of a C++ file defines the operator with this name.
pub fn defines(text: &str, operator: &str) -> bool {
    let mut rest = text;
    while let Some(at) = rest.find("class ") {
        rest = &rest[at + "class ".len()..];
        let name: String = rest.trim_start().chars().take_while(|c| is_word(*c)).collect();
        let head: String = rest.chars().take_while(|c| *c != '{').collect();
        if name == operator && head.contains("OpDef") {
            return true;
        }
    }
    false
}

/// Returns the files that will be removed or replaced although their content is not committed in git.
///
/// `directory` is the operator's directory below the checkout at `root`. Each entry is a few words for a report.
pub fn uncommitted(root: &Path, directory: &str, files: &BTreeMap<String, Fate>) -> Vec<String> {
    let goes = |fate: &Fate| matches!(fate, Fate::Replaced | Fate::Removed);
    if !files.values().any(goes) {
        return Vec::new();
    }
    let mut git = Command::new("git");
    git.arg("-C")
        .arg(root)
        .args(["status", "--porcelain", "-z", "--ignored", "-uall", "--", directory]);
    let listed = match git.output() {
        Ok(out) if out.status.success() => String::from_utf8_lossy(&out.stdout).into_owned(),
        _ => return vec!["all that is replaced: the checkout is not under version control".into()],
    };
    let changed: BTreeSet<&str> = listed.split('\0').filter_map(|entry| entry.get(3..)).collect();
    let is_changed = |path: &&String| changed.contains(&*format!("{directory}/{path}"));
    let going = files.iter().filter(|(_, fate)| goes(fate)).map(|(path, _)| path);
    going.filter(is_changed).map(|path| format!("{path}, which is not committed")).collect()
}

/// Returns what the rest of the checkout loses or clashes with when an operator's directory is replaced.
///
/// These are headers of the directory that are removed although other files include them, and aclnn functions that both the new
/// files and other directories declare. Each entry is a few words for a report.
pub fn elsewhere(
    root: &Path,
    target: &Path,
    files: &BTreeMap<String, Fate>,
    new: &BTreeMap<&str, &str>,
) -> Vec<String> {
    let gone: Vec<PathBuf> = files
        .iter()
        .filter(|(path, fate)| **fate == Fate::Removed && path.ends_with(".h"))
        .map(|(path, _)| target.join(path))
        .collect();
    let headers = new.iter().filter(|(path, _)| is_header(path));
    let own: BTreeSet<String> =
        headers.flat_map(|(_, text)| declared(&uncommented(text))).collect();
    let name = target.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (mut lost, mut open) = (BTreeSet::new(), vec![root.to_path_buf()]);
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            let path = entry.path();
            let is_dir = entry.file_type().is_ok_and(|t| t.is_dir());
            if is_dir && path != target && !SKIPPED.iter().any(|s| path.ends_with(s)) {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "h" || e == "cpp") {
                let Ok(text) = fs::read(&path) else { continue };
                let text = String::from_utf8_lossy(&text);
                let relative = path.strip_prefix(root).unwrap_or(&path).display().to_string();
                if is_header(&relative) {
                    for name in declared(&uncommented(&text)).intersection(&own) {
                        lost.insert(format!("{name} of {relative}, which would be there twice"));
                    }
                }
                // A file that includes one of this directory mentions the directory's name.
                if !text.contains(&*format!("{name}/")) {
                    continue;
                }
                for include in text.lines().filter_map(|l| l.trim().strip_prefix("#include \"")) {
                    let include = include.split('"').next().unwrap_or_default();
                    let places = [root.join(include), directory.join(include)].map(|p| plain(&p));
                    if let Some(file) = gone.iter().find(|file| places.contains(file)) {
                        let file = file.strip_prefix(root).unwrap_or(file).display();
                        lost.insert(format!("{file}, which {relative} includes"));
                    }
                }
            }
        }
    }
    lost.into_iter().collect()
}

/// Returns the joined text of the `CMakeLists.txt` files of an operator's directory, without comments.
pub fn build_files(old: &Files) -> String {
    let is_one = |path: &str| path == "CMakeLists.txt" || path == "op_host/CMakeLists.txt";
    let files = old.iter().filter(|(path, _)| is_one(path));
    let lines = files.flat_map(|(_, text)| {
        let text = String::from_utf8_lossy(text).into_owned();
        text.lines()
            .map(|l| l.split('#').next().unwrap_or_default().to_string())
            .collect::<Vec<_>>()
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Resolves `.` and `..` in a path, without access to the file system.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(out.pop()),
            Component::CurDir => {}
            part => out.push(part),
        }
    }
    out
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Returns C++ code without comments.
fn uncommented(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find("/*").into_iter().chain(rest.find("//")).min() {
        out += &rest[..at];
        let end = if rest[at..].starts_with("/*") { "*/" } else { "\n" };
        rest = rest[at + 2..].split_once(end).map_or("", |(_, rest)| rest);
        out.push('\n');
    }
    out + rest
}

/// Returns the words (C++ identifiers) that come directly after each occurrence of `before`.
fn words_after(text: &str, before: &str) -> BTreeSet<String> {
    let word =
        |rest: &str| rest.trim_start().chars().take_while(|c| is_word(*c)).collect::<String>();
    text.split(before).skip(1).map(word).filter(|w| !w.is_empty()).collect()
}

/// Returns the string literals that come directly after each occurrence of `before`, without quotes.
fn quoted(text: &str, before: &str) -> BTreeSet<String> {
    let inside =
        |rest: &str| Some(rest.trim_start().strip_prefix('"')?.split('"').next()?.to_string());
    text.split(before).skip(1).filter_map(inside).collect()
}

/// Returns the element types that a C++ text names; for example, `DT_FLOAT` gives `FLOAT`.
fn types(text: &str) -> BTreeSet<String> {
    words_after(text, "DT_")
}

/// Returns the names of the aclnn functions that the text of a header declares.
fn declared(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, _) in text.match_indices("GetWorkspaceSize") {
        let head = &text[..at];
        let start = head.rfind(|c| !is_word(c)).map_or(0, |i| i + 1);
        if head[start..].starts_with("aclnn") {
            found.insert(head[start..].to_string());
        }
    }
    found
}

/// Returns the versions above 1 that a definition gives its attributes.
///
/// They are written as `.Version(2)`, or with the name of a constant that has this value.
fn versions(text: &str) -> impl Iterator<Item = u32> {
    let constant = |name: &str| {
        let value = text.split(&*format!("{name} =")).nth(1)?;
        value.trim_start().split(';').next()?.trim().parse().ok()
    };
    let all = words_after(text, ".Version(");
    let all: BTreeSet<u32> =
        all.iter().filter_map(|v| v.parse().ok().or_else(|| constant(v))).collect();
    all.into_iter().filter(|v| *v > 1)
}
