//! Pages in every language have the same structure, code, names and links, and no text left in English.

use codegen_ascendc::arch::Soc;
use codegen_ascendc::emit::{Cann, Language, Layout, Options, Package, Tree};
use op_dsl::ir::doc::forwards;
use ops_glu_grad::OPERATORS;
use std::sync::LazyLock;

/// The trees of all operators in two languages, for each layout and toolkit.
static TREES: LazyLock<Vec<(Tree, Tree)>> = LazyLock::new(trees);

fn trees() -> Vec<(Tree, Tree)> {
    // A product that lacks features, so that the pages describe what is missing.
    let socs = [Soc::named("ascend310p").expect("a target")];
    let layouts = [
        (Layout::OpsNn, Cann::V9),
        (Layout::Custom, Cann::V9),
        (Layout::Custom, Cann::V8),
        (Layout::Direct, Cann::V9),
        (Layout::Torch, Cann::V9),
    ];
    let able = OPERATORS.iter().map(|op| Package::able(op.def(), &socs, Options::default()));
    let mut packages: Vec<Package<'_>> = able.filter_map(|able| Some(able.ok()?.0)).collect();
    let sums = OPERATORS.iter().filter(|op| !op.def().sums.is_empty()).count();
    assert_eq!(packages.len() + sums, OPERATORS.len());
    let mut of = |layout: Layout, cann, language| {
        let options = Options { cann, language, ..Options::default() };
        packages.iter_mut().for_each(|p| p.options = options.clone());
        let has = |p: &&Package| layout.check_operator(&p.def).is_ok();
        layout.tree(&packages.iter().filter(has).cloned().collect::<Vec<_>>())
    };
    let both = |(layout, cann)| [Language::En, Language::Zh].map(|to| of(layout, cann, to)).into();
    layouts.map(both).into()
}

/// Returns the language-independent structure of a page: headings, rows, items, paragraphs, and code.
fn structure(page: &str) -> Vec<String> {
    let (mut parts, mut code) = (Vec::new(), false);
    for line in page.lines() {
        let fence = line.starts_with("```");
        code ^= fence;
        let part = match line {
            _ if fence => line.to_string(),
            _ if code && line.starts_with("//") => "//".into(),
            _ if code => line.to_string(),
            row if row.starts_with('|') => "|".repeat(row.matches('|').count()),
            item if item.starts_with("- ") => "-".into(),
            title if title.starts_with('#') => title.chars().take_while(|c| *c == '#').collect(),
            "" => String::new(),
            // The number of lines of a paragraph may differ between languages.
            _ if parts.last().is_some_and(|last| last == "text") => continue,
            _ => "text".into(),
        };
        parts.push(part);
    }
    parts
}

/// Returns the texts between two delimiters, in all lines that are not code; sorted.
fn marked<'p>(page: &'p str, open: &str, close: &str) -> Vec<&'p str> {
    let texts = page.split("```").step_by(2);
    let marked =
        texts.flat_map(|text| text.split(open).skip(1).step_by(if open == close { 2 } else { 1 }));
    let mut found: Vec<&str> = marked.filter_map(|rest| rest.split(close).next()).collect();
    found.sort_unstable();
    found
}

#[test]
fn pages_have_one_structure() {
    let mut pages = 0;
    for (en, zh) in &*TREES {
        assert_eq!(en.files.len(), zh.files.len());
        for (en, zh) in en.files.iter().zip(&zh.files) {
            assert_eq!(en.path, zh.path);
            if !en.path.ends_with(".md") {
                assert_eq!(en.text, zh.text, "{} is no page", en.path);
                continue;
            }
            pages += 1;
            assert_eq!(structure(&en.text), structure(&zh.text), "{}", en.path);
            for (open, close) in [("`", "`"), ("](", ")")] {
                let [en_has, zh_has] = [en, zh].map(|f| marked(&f.text, open, close));
                assert_eq!(en_has, zh_has, "{}", en.path);
            }
        }
    }
    assert!(pages > 100, "{pages}");
}

fn is_chinese(c: char) -> bool {
    ('\u{4e00}'..='\u{9fff}').contains(&c)
}

/// Names that contain markup characters.
const NAMES: [&str; 5] = [
    "维度(shape)",
    "Atlas A2 训练系列产品/Atlas A2 推理系列产品",
    "Atlas A3 训练系列产品/Atlas A3 推理系列产品",
    "Atlas 推理系列产品",
    "Atlas 训练系列产品",
];

/// Returns the prose of a page: without code, names and the author's text.
fn prose(page: &str) -> String {
    let docs = OPERATORS.iter().map(|op| forwards(&op.def().doc).1);
    let written: Vec<&str> = docs.flat_map(str::lines).map(str::trim).collect();
    // The comment at the head repeats the author's text.
    let page = page.split_once("-->").map_or(page, |(_, page)| page);
    let texts: String = page.split("```").step_by(2).collect();
    let own = texts.lines().filter(|line| !written.contains(&line.trim()));
    let text = own.collect::<Vec<_>>().join("\n");
    let text = NAMES.iter().fold(text, |text, name| text.replace(name, "名"));
    let bare = |(i, part): (usize, &str)| if i % 2 == 0 { part.to_string() } else { "x".into() };
    let text: String = text.split('`').enumerate().map(bare).collect();
    let mut links = text.split("](");
    let first = links.next().unwrap_or_default().to_string();
    links.fold(first, |text, link| text + link.split_once(')').map_or(link, |l| l.1))
}

#[test]
fn chinese_pages_are_chinese() {
    for (_, zh) in &*TREES {
        for file in zh.files.iter().filter(|f| f.path.ends_with(".md")) {
            for line in prose(&file.text).lines() {
                let told = || format!("{}: {line}", file.path);
                // Three consecutive words are prose, not a name.
                let words = line.split(|c: char| !c.is_ascii_alphabetic() && c != ' ');
                let most = words.map(|run| run.split_whitespace().count()).max();
                assert!(most < Some(3), "English: {}", told());
                let text = line.trim_start_matches(['#', '-', ' ']);
                let cells: String = text.split('|').map(str::trim).collect::<Vec<_>>().join("|");
                let chars: Vec<char> = cells.chars().collect();
                for pair in chars.windows(2) {
                    let signs = |c: char| ",.;:!?() ".contains(c);
                    let half = |a: char, b: char| is_chinese(a) && signs(b);
                    let wrong = half(pair[0], pair[1]) || half(pair[1], pair[0]);
                    assert!(!wrong, "half-width signs: {pair:?} in {}", told());
                }
            }
        }
    }
}
