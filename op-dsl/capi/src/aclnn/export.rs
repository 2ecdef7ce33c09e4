//! Macro that exports the aclnn functions of a table of operators, one row per function.

/// The C type of each kind of argument, under the name of its variant in [`super::Argument`].
#[doc(hidden)]
#[allow(missing_docs)]
pub mod c {
    pub type Tensor = crate::Handle;
    pub type Int = i64;
    pub type Bool = u8;
    pub type Double = f64;
    pub type Scalar = crate::Handle;
    pub type Chars = *const std::ffi::c_char;
}

/// Exports both phases of aclnn functions, for operators in `OPERATORS`.
///
/// `OPERATORS` is a static table of operators that must be in scope.
///
/// A row has the operator's name, the functions of phases 1 and 2, and arguments up to `workspaceSize`.
///
/// ```ignore
/// op_dsl::capi::aclnn_functions! {
///     "Relu" aclnnReluGetWorkspaceSize aclnnRelu(x: Tensor, y: Tensor);
/// }
/// ```
#[macro_export]
macro_rules! aclnn_functions {
    ($($operator:literal $prepare:ident $run:ident($($argument:ident: $kind:ident),*);)*) => {$(
        #[doc(hidden)]
        #[allow(non_snake_case)]
        pub mod $run {
            pub(super) static ENTRY: $crate::aclnn::Entry =
                $crate::aclnn::Entry::new(&super::OPERATORS, $operator, stringify!($run));
        }

        #[doc = concat!("Phase 1 of `", stringify!($run), "`.")]
        ///
        /// # Safety
        /// As `op_dsl::capi::aclnn::prepare`.
        #[unsafe(no_mangle)]
        #[allow(clippy::too_many_arguments)]
        pub unsafe extern "C" fn $prepare(
            $($argument: $crate::aclnn::c::$kind,)*
            workspace_size: *mut u64,
            executor: *mut $crate::Handle,
        ) -> i32 {
            let arguments = [$($crate::aclnn::Argument::$kind($argument)),*];
            // SAFETY: the caller upholds the `# Safety` contract.
            unsafe {
                $crate::aclnn::prepare(&$run::ENTRY, &arguments, workspace_size, executor)
            }
        }

        #[doc = concat!("Phase 2 of `", stringify!($run), "`.")]
        ///
        /// # Safety
        /// As `op_dsl::capi::aclnn::execute`.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $run(
            workspace: *mut ::std::ffi::c_void,
            workspace_size: u64,
            executor: $crate::Handle,
            stream: $crate::Handle,
        ) -> i32 {
            // SAFETY: the caller upholds the `# Safety` contract.
            unsafe {
                $crate::aclnn::execute(&$run::ENTRY, workspace, workspace_size, executor, stream)
            }
        }
    )*};
}
