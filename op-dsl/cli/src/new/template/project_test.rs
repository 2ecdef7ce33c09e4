
#[test]
fn the_project_is_there() {
    let names: String = {crate}::OPERATORS.iter().map(|op| format!("{}\n", op.name())).collect();
    let generated = std::path::Path::new({crate}::PROJECT).join(".generated");
    assert_eq!(std::fs::read_to_string(generated).unwrap(), format!("op-dsl\n{names}"));
    assert!({crate}::PACKAGE.is_none_or(|package| std::path::Path::new(package).is_file()));
}
