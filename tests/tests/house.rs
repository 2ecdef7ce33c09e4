//! The structure of the workspace, as the documents describe it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The library crates. They must not name any operator.
const LIBRARIES: [&str; 4] = ["op-dsl", "op-dsl-macros", "codegen-cpu", "codegen-ascendc"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns the Rust files of the library crates, with their paths in the repository.
fn sources() -> Vec<(String, String)> {
    sources_in(&LIBRARIES)
}

/// Returns the Rust files below directories, with their paths in the repository.
fn sources_in(directories: &[&str]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open: Vec<PathBuf> = directories.iter().map(|name| root().join(name)).collect();
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.extend((!path.ends_with("target")).then_some(path));
            } else if path.extension().is_some_and(|e| e == "rs") {
                let name = path.strip_prefix(root()).expect("below the root").to_str();
                let text = fs::read_to_string(&path).expect("a text");
                found.push((name.expect("UTF-8").to_owned(), text));
            }
        }
    }
    found
}

/// Returns a file without its comments and unit tests.
fn code(text: &str) -> String {
    let end = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    let lines = text[..end].lines().map(|l| l.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

fn is_test(path: &str) -> bool {
    path.contains("/tests/") || path.ends_with("/tests.rs")
}

/// No library names an operator, because knowledge of an operator is data of the crate that defines it.
#[test]
fn no_library_names_an_operator() {
    let sources = sources();
    assert!(sources.len() > 100, "{} files", sources.len());
    for (path, text) in sources.iter().filter(|(path, _)| !is_test(path)) {
        let code = code(text);
        for op in ops_glu_grad::OPERATORS {
            // Quoted, as in a row of a table or in a comparison.
            let name = format!("\"{}\"", op.name());
            let names = code.lines().filter(|line| line.contains(&name));
            assert_eq!(names.collect::<Vec<_>>(), [""; 0], "{path} names {}", op.name());
        }
    }
}

/// The command line knows targets by its trait `Target`, apart from the directory with the AscendC one.
#[test]
fn one_directory_of_the_command_line_knows_ascendc() {
    let of_cli = |(path, _): &(String, String)| path.starts_with("op-dsl/cli/src/");
    let names =
        sources().into_iter().filter(of_cli).filter(|(_, text)| text.contains("codegen_ascendc"));
    let (inside, outside): (Vec<String>, Vec<String>) =
        names.map(|file| file.0).partition(|path| path.starts_with("op-dsl/cli/src/ascendc/"));
    assert!(inside.len() > 5 && outside.is_empty(), "{outside:?}");
}

/// Checks that the table of a page lists these files and no other, and that the page says how many.
fn assert_listed(page: &str, found: impl Iterator<Item = (String, String)>) {
    let guide = fs::read_to_string(root().join("docs").join(page)).expect("the guide");
    let rows = guide.lines().filter_map(|line| line.strip_prefix("| `"));
    let listed: BTreeSet<String> =
        rows.filter_map(|row| Some(row.split_once('`')?.0.to_owned())).collect();
    assert_eq!(found.map(|file| file.0).collect::<BTreeSet<_>>(), listed);
    assert!(guide.contains(&format!("**{} places**", listed.len())), "{}", listed.len());
}

/// `docs/add-a-primitive.md` lists every place that names a primitive.
///
/// Checked by the example of a primitive that no other formula uses.
#[test]
fn the_places_of_a_primitive_are_those_that_its_guide_lists() {
    let names = |(path, text): &(String, String)| {
        let text = if is_test(path) { text.clone() } else { code(text) };
        text.to_lowercase().contains("softplus")
    };
    // Files where a primitive only occurs in examples: formulas, functions to fit, and equivalents of other
    // libraries' functions.
    let examples = [
        "op-dsl/syntax/tests/",
        "op-dsl/syntax/src/names/elsewhere.rs",
        "op-dsl/truth/tests/",
        "codegen-cpu/fit/tests/",
        "codegen-ascendc/plan/src/plan/tests/",
    ];
    let example = |path: &str| examples.iter().any(|from| path.starts_with(from));
    let found = sources().into_iter().filter(|file| names(file) && !example(&file.0));
    assert_listed("add-a-primitive.md", found);
}

/// `docs/add-an-element-type.md` lists every place that names an element type.
#[test]
fn the_places_of_an_element_type_are_those_that_its_guide_lists() {
    // Features of processors, published texts, and benchmarks.
    let others = ["op-dsl/cli/src/bench/machine.rs", "ops-glu-grad/src/registered.rs"];
    let is_other =
        |path: &str| is_test(path) || path.contains("/benches/") || others.contains(&path);
    let names = |(path, text): &(String, String)| {
        !is_other(path) && code(text).to_lowercase().contains("bf16")
    };
    let sources = sources().into_iter().chain(sources_in(&["ops-glu-grad"]));
    assert_listed("add-an-element-type.md", sources.filter(names));
}

/// Every link between documents is valid, and the book contains every page.
#[test]
fn links_lead_somewhere() {
    let docs = fs::read_dir(root().join("docs")).expect("the documents");
    let mut pages: Vec<PathBuf> = docs.map(|e| e.expect("an entry").path()).collect();
    pages.retain(|path| path.extension().is_some_and(|e| e == "md"));
    pages.push(root().join("README.md"));
    let read = |path: &Path| fs::read_to_string(path).expect("a page");
    let summary = read(&root().join("docs/SUMMARY.md"));
    for page in &pages {
        let name = page.file_name().and_then(|n| n.to_str()).expect("a name");
        let outside = ["SUMMARY.md", "README.md"].contains(&name);
        assert!(outside || summary.contains(&format!("({name})")), "SUMMARY.md has no {name}");
        for link in links(&read(page)) {
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = match file {
                "" => page.clone(),
                file => page.with_file_name(file),
            };
            assert!(target.exists(), "{name}: {link}");
            let found = anchor.is_empty() || read(&target).lines().any(|l| heading(l) == anchor);
            assert!(found, "{name}: no heading for {link}");
        }
    }
}

/// Returns the targets of a page's links to files.
fn links(page: &str) -> Vec<String> {
    let mut parts = page.split("](").skip(1);
    let targets = parts.by_ref().filter_map(|rest| rest.split_once(')')).map(|(link, _)| link);
    targets.filter(|link| !link.contains("://") && !link.contains(' ')).map(str::to_owned).collect()
}

/// Returns the anchor of a heading; an empty text for other lines.
fn heading(line: &str) -> String {
    let Some((_, title)) =
        line.split_once("# ").filter(|(marks, _)| marks.chars().all(|c| c == '#'))
    else {
        return String::new();
    };
    let kept = title.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

/// First words that no paragraph of a comment has: a sentence that begins so says last what a reader looks for first.
const INVERTED: [&str; 7] = ["What", "Of", "So", "Beside", "Such", "Those", "Nothing"];

/// Returns the words of a line that is a comment and nothing else.
fn comment(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix("//").map(|words| words.trim_start_matches(['/', '!']).trim())
}

/// For example "Stride in elements" and not "What the stride is", so that a reader learns the subject first.
#[test]
fn paragraphs_of_comments_begin_with_their_subject() {
    let mut odd = Vec::new();
    for (path, text) in sources() {
        let mut is_inside = false;
        for (number, line) in (1..).zip(text.lines()) {
            let words = comment(line).unwrap_or_default();
            let first = words.split([' ', ',', '\'']).next().unwrap_or_default();
            if !is_inside && INVERTED.contains(&first) {
                odd.push(format!("{path}:{number}: {words}"));
            }
            is_inside = !words.is_empty();
        }
    }
    assert!(odd.is_empty(), "comments that begin with one of {INVERTED:?}:\n{}", odd.join("\n"));
}

/// Words that introduce an item, on a line without indentation.
const ITEMS: [&str; 8] =
    ["fn", "struct", "enum", "trait", "type", "const", "static", "macro_rules!"];

/// A file without its tests, as a module. Items that macros make are unknown.
#[derive(Default)]
struct Module {
    /// The text, and the paths of imports that are no re-exports.
    code: String,
    defined: BTreeSet<String>,
    /// Names and the paths that they stand for; `*` for all names of a module.
    imports: Vec<(String, String)>,
}

impl Module {
    fn new(text: &str) -> Module {
        let mut module = Module::default();
        for statement in code(text).split(';') {
            let lines: Vec<&str> = statement.lines().collect();
            let is_use = |line: &&str| {
                let line = line.trim_start();
                line.starts_with("use ") || line.starts_with("pub") && line.contains(" use ")
            };
            let end = lines.iter().position(is_use).unwrap_or(lines.len());
            module.code += &(lines[..end].join("\n") + "\n");
            let import = lines[end..].join(" ");
            let first = module.imports.len();
            module.import("", import.split_once("use ").map_or("", |(_, tree)| tree));
            if !import.trim_start().starts_with("pub") {
                let paths = module.imports[first..].iter().map(|(_, path)| format!("{path}\n"));
                module.code.extend(paths);
            }
        }
        for line in module.code.lines().filter(|line| !line.starts_with(' ')) {
            let mut words = line.split(|c: char| !c.is_alphanumeric() && !"_!".contains(c));
            let item = words.find(|word| ITEMS.contains(word)).and_then(|_| words.next());
            module.defined.extend(item.map(str::to_owned));
        }
        module
    }

    /// Adds the names that are imported by a tree such as `a::{b, c::{self, d as e}}` below a path.
    fn import(&mut self, path: &str, tree: &str) {
        let path = |rest: &str| format!("{path}{}", rest.trim());
        if let Some((head, rest)) = tree.split_once('{') {
            let mut depth = 0;
            let parts = rest.trim_end().trim_end_matches(',').strip_suffix('}').unwrap_or(rest);
            let parts = parts.split(|c| {
                depth += i32::from(c == '{') - i32::from(c == '}');
                c == ',' && depth == 0
            });
            parts.for_each(|part| self.import(&path(head), part));
        } else if !tree.trim().is_empty() {
            let path = path(tree);
            let (path, name) = path.split_once(" as ").unwrap_or((&path, &path));
            let name = name.trim_end_matches("::self").rsplit("::").next();
            let path = path.trim_end_matches("::self").to_owned();
            self.imports.push((name.unwrap_or_default().to_owned(), path));
        }
    }
}

/// Returns the module that defines the item of a path, as the module `at` writes it; `None` outside of the crate.
///
/// Follows at most `imports` imports.
fn home(
    modules: &BTreeMap<String, Module>,
    at: &str,
    path: &str,
    imports: usize,
) -> Option<String> {
    let (first, rest) = path.split_once("::").unwrap_or((path, ""));
    let child = format!("{at}::{first}");
    match first {
        "crate" => return home(modules, at.split("::").next()?, rest, imports),
        "self" => return home(modules, at, rest, imports),
        "super" => return home(modules, at.rsplit_once("::")?.0, rest, imports),
        _ if !rest.is_empty() && modules.contains_key(&child) => {
            return home(modules, &child, rest, imports);
        }
        _ => {}
    }
    let module = modules.get(at)?;
    if module.defined.contains(first) {
        return Some(at.to_owned());
    }
    let imports = imports.checked_sub(1)?;
    module.imports.iter().find_map(|(name, stands_for)| match &**name {
        "*" => home(modules, at, &stands_for.replace('*', path), imports),
        name if name == first => home(modules, at, &format!("{stands_for}::{rest}"), imports),
        _ => None,
    })
}

/// A file uses another one if it names an item that the other one defines; re-exports do not count.
#[test]
fn files_do_not_use_each_other_in_circles() {
    let mut modules = BTreeMap::new();
    for (path, text) in sources().iter().filter(|(path, _)| !is_test(path)) {
        let Some((name, file)) = path.split_once("/src/") else { continue };
        let names = file.trim_end_matches(".rs").split('/');
        let names = names.filter(|name| !["mod", "lib", "main"].contains(name));
        let at: Vec<&str> = std::iter::once(name).chain(names).collect();
        modules.insert(at.join("::"), Module::new(text));
    }
    let used = |(at, module): (&String, &Module)| {
        // The first name of `a.b`, and none of `.b`.
        let code = module.code.replace("..", " ");
        let words = code.split(|c: char| !c.is_alphanumeric() && !"_:.".contains(c));
        let paths = words.map(|word| word.split('.').next().unwrap_or_default());
        let paths: BTreeSet<&str> = paths.map(|path| path.trim_end_matches(':')).collect();
        let homes = paths.into_iter().filter_map(|path| home(&modules, at, path, 6));
        (at.clone(), homes.filter(|home| home != at).collect())
    };
    let mut uses: BTreeMap<String, BTreeSet<String>> = modules.iter().map(used).collect();
    let count: usize = uses.values().map(BTreeSet::len).sum();
    assert!(count > 1000, "{count} uses");
    // Files that use no other are taken away until all that are left use one another, or lead to such.
    let mut before = usize::MAX;
    while uses.len() < before {
        before = uses.len();
        uses.retain(|_, used| !used.is_empty());
        let left: BTreeSet<String> = uses.keys().cloned().collect();
        uses.values_mut().for_each(|used| used.retain(|file| left.contains(file)));
    }
    let mut walk: Vec<&str> = Vec::new();
    let mut next = uses.keys().next();
    while let Some(file) = next {
        if let Some(start) = walk.iter().position(|other| other == file) {
            panic!("a circle of files: {}", walk[start..].join(", "));
        }
        walk.push(file);
        next = uses[file].first();
    }
}
