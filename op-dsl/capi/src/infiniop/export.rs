//! Macro that exports the infiniop functions of a table of operators, one row per operator.

/// Exports the four functions of infiniop operators, for operators in `OPERATORS`.
///
/// `OPERATORS` is a static table of operators that must be in scope.
///
/// A row has the operator's name, its name in infiniop, its functions in the order of their calls, the outputs, and the inputs.
///
/// ```ignore
/// op_dsl::capi::infiniop_functions! {
///     "Relu" "Relu" infiniopCreateReluDescriptor infiniopGetReluWorkspaceSize infiniopRelu
///         infiniopDestroyReluDescriptor(y; x);
/// }
/// ```
#[macro_export]
macro_rules! infiniop_functions {
    ($($operator:literal $name:literal $create:ident $size:ident $run:ident $destroy:ident
       ($($output:ident),*; $($input:ident),*);)*) => {$(
        #[doc(hidden)]
        #[allow(non_snake_case)]
        pub mod $run {
            pub(super) static ENTRY: $crate::infiniop::Entry =
                $crate::infiniop::Entry::new(&super::OPERATORS, $operator, $name);
        }

        #[doc = concat!("Describes a call of `", stringify!($run), "`.")]
        ///
        /// # Safety
        /// As `op_dsl::capi::infiniop::create`.
        #[unsafe(no_mangle)]
        #[allow(clippy::too_many_arguments)]
        pub unsafe extern "C" fn $create(
            handle: $crate::Handle,
            descriptor: *mut $crate::Handle,
            $($output: $crate::Handle,)*
            $($input: $crate::Handle,)*
        ) -> i32 {
            let tensors = [$($output,)* $($input),*];
            // SAFETY: the caller upholds the `# Safety` contract.
            unsafe { $crate::infiniop::create(&$run::ENTRY, handle, descriptor, &tensors) }
        }

        #[doc = concat!("Bytes of workspace that a call of `", stringify!($run), "` needs.")]
        ///
        /// # Safety
        /// As `op_dsl::capi::infiniop::workspace_size`.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $size(descriptor: $crate::Handle, size: *mut usize) -> i32 {
            // SAFETY: the caller upholds the `# Safety` contract.
            unsafe { $crate::infiniop::workspace_size(&$run::ENTRY, descriptor, size) }
        }

        /// Computes. The workspace is ignored because no operator needs one, and the stream because calls are complete when
        /// they return.
        ///
        /// # Safety
        /// As `op_dsl::capi::infiniop::run`.
        #[unsafe(no_mangle)]
        #[allow(clippy::too_many_arguments)]
        pub unsafe extern "C" fn $run(
            descriptor: $crate::Handle,
            _workspace: *mut ::std::ffi::c_void,
            _workspace_size: usize,
            $($output: *mut ::std::ffi::c_void,)*
            $($input: *const ::std::ffi::c_void,)*
            _stream: *mut ::std::ffi::c_void,
        ) -> i32 {
            let addresses = [$($output.cast_const(),)* $($input),*];
            // SAFETY: the caller upholds the `# Safety` contract.
            unsafe { $crate::infiniop::run(&$run::ENTRY, descriptor, &addresses) }
        }

        /// Ends a descriptor.
        #[unsafe(no_mangle)]
        pub extern "C" fn $destroy(descriptor: $crate::Handle) -> i32 {
            $crate::infiniop::destroy(&$run::ENTRY, descriptor)
        }
    )*};
}
