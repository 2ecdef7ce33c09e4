//! Calls in a forked process. The test has its own binary, so that no other test runs while it forks.
#![cfg(unix)]

mod driver;

use codegen_cpu::rt::call::Options;
use driver::{Tensor, binary, expect_binary};
use op_dsl_ir::DType;
use op_dsl_ir::op::Value;

/// The pool's threads stay with the parent, so the child must not wait for them.
#[test]
fn a_child_works_without_its_parents_threads() {
    let [x, y, z] = [1, 2, 3].map(|seed| Tensor::dense(DType::F32, &[1000, 1000], seed));
    let want = expect_binary(0.5, [&x, &y], &z);
    let is_right = |threads| {
        let mut z = z.clone();
        let (inputs, out) = ([x.view().unwrap(), y.view().unwrap()], z.view_mut().unwrap());
        let options = Options { threads, ..Options::default() };
        let done = binary().run(&[Value::Float(0.5)], &inputs, &mut [out], &options);
        done.is_ok() && z.buf == want
    };
    assert!(is_right(4)); // the pool exists from here on
    // SAFETY: the child computes, allocates (which libc prepares for) and exits.
    let status = unsafe {
        let child = libc::fork();
        if child == 0 {
            libc::alarm(30); // kills a child that waits
            libc::_exit(!(is_right(4) && is_right(0)) as i32);
        }
        let mut status = 0;
        assert_eq!(libc::waitpid(child, &mut status, 0), child);
        status
    };
    assert!(libc::WIFEXITED(status), "the child was ended: {status}");
    assert_eq!(libc::WEXITSTATUS(status), 0);
}
