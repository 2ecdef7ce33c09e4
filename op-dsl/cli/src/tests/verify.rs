//! The tables of `verify`.

use super::good;

#[test]
fn verify_measures_every_type_and_level() {
    let text = good(&["verify", "--all"]);
    for word in [" f16 ", " bf16 ", " f32 ", " ok", "skipped", "x.gate"] {
        assert!(text.contains(word), "{text}");
    }
    assert!(!text.contains("MISSED"), "{text}");
    let text = good(&["verify", "--dtype", "bf16,f32", "--threads", "1"]);
    let line = text.lines().find(|l| l.starts_with("Scale")).expect("its line");
    let cells: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(cells, ["Scale", "0.500", "0.500", "100.000%", "ok", "ok", "ok", "ok"], "{text}");
}

#[test]
fn verify_speaks_json() {
    let text = good(&["verify", "--dtype", "f16", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let op = &json["operators"][0];
    assert_eq!((&op["operator"], &op["missed"]), (&"Scale".into(), &serde_json::json!([])));
    let row = &op["details"][0];
    // The sweep has all values of the type, and more elements with all streams at random.
    assert!(row["dtype"] == "f16" && row["inputs"].as_u64() > Some(65_536), "{row}");
    assert_eq!((&row["max_ulp"], &row["rounded"]), (&0.5.into(), &1.0.into()));
    assert_eq!(row["limits"]["right"], row["limits"]["all"]);
}

#[test]
fn verify_explains_every_column() {
    let help = good(&["verify", "--help"]);
    let table = good(&["verify", "--all", "--dtype", "f32"]);
    let headings = table.lines().next().expect("headings").split_whitespace();
    let known = ["operator", "dtype", "level"]; // words of the command line
    for heading in headings.filter(|h| !known.contains(h)) {
        assert!(help.contains(heading), "{heading}");
    }
}
