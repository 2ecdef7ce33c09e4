//! Tables of byte offsets by which elements are gathered: scalar code writes their start, vector code continues them.

use super::super::package::Package;
use super::super::text::Text;
use super::barrier;
use super::names::wrapped;

/// C++ statements by which vector code waits for the start of a table, which scalar code writes.
pub const WRITTEN: &str = "\
const event_t written = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::S_V));
SetFlag<HardEvent::S_V>(written);
WaitFlag<HardEvent::S_V>(written);";

/// Writes the C++ function `Continue`, which fills a table of offsets of `element` bytes from its start.
pub fn continued(package: &Package<'_>, element: &str, text: &mut Text) {
    text.line("// Fills a table from its first `have` elements, whose successors lie `shift` elements further on.");
    let arguments =
        ["const LocalTensor<int32_t>& table", "uint32_t have", "uint32_t all", "uint32_t shift"];
    let head = "__aicore__ inline static void Continue(";
    text.function(wrapped(head, &arguments.map(String::from), ")"), |text| {
        text.block("for (; have < all; have *= 2, shift *= 2)", "}", |text| {
            text.line("const uint32_t more = have < all - have ? have : all - have;");
            text.line(format!(
                "Adds(table[have], table, static_cast<int32_t>(shift * sizeof({element})), more);"
            ));
            text.lines(barrier::statement(package));
        });
    });
}
