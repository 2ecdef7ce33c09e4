
/// Directory of the AscendC project that the build script wrote.
pub const PROJECT: &str = env!("OP_DSL_PROJECT");
/// The installable package, where a toolkit has built it.
pub const PACKAGE: Option<&str> = option_env!("OP_DSL_PACKAGE");
