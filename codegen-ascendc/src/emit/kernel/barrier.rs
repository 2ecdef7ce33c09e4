//! The barrier between dependent vector calls.
//!
//! A call may start before the previous one has ended. Therefore the hardware, the compiler or the kernel must keep dependent calls in
//! order.

use super::super::package::Package;
use super::super::text::Text;

/// Macro by which a build states that its compiler orders dependent vector calls.
pub const BY_COMPILER: &str = "COMPILER_ORDERS_VECTOR_CALLS";

const STATEMENT: &str = "VectorBarrier();";

/// Returns the C++ statement that waits for earlier vector calls.
///
/// It is an empty string if no architecture of the package needs the wait.
pub fn statement(package: &Package<'_>) -> &'static str {
    let needs = package.archs().iter().any(|arch| !arch.orders_vectors);
    if needs { STATEMENT } else { "" }
}

/// Writes the C++ function `VectorBarrier`, which waits for earlier vector calls.
///
/// Its body is empty where hardware or the compiler orders the calls, so that it costs nothing there.
pub fn function(package: &Package<'_>, text: &mut Text) {
    if statement(package).is_empty() {
        return;
    }
    let ordered = package.archs().into_iter().filter(|arch| arch.orders_vectors);
    let ordered: Vec<String> = ordered.map(|arch| arch.number.to_string()).collect();
    text.line("// Dependent vector calls: the second may start before the first has ended. The compiler sees to it where");
    text.line(format!(
        "// --cce-auto-sync is on; a build where it surely is defines {BY_COMPILER}."
    ));
    if !ordered.is_empty() {
        text.line(format!("// Hardware does on {}.", ordered.join(" and ")));
    }
    let elsewhere = ordered.iter().map(|number| format!(" && __NPU_ARCH__ != {number}"));
    let elsewhere: String = elsewhere.collect();
    text.line("__aicore__ inline void VectorBarrier()\n{");
    text.line(format!("#if !defined({BY_COMPILER}){elsewhere}"));
    text.line("    PipeBarrier<PIPE_V>();\n#endif\n}\n");
}
