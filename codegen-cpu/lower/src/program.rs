//! Writes programs of the interpreter as tokens of constants.

use super::literal::{count, f64_literal};
use op_dsl_ir::program::{Guard, Instruction, Op, Operand, Program};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

/// Returns an interpreter program as an expression that uses the names of `__rt::vector`.
pub fn constant(program: &Program) -> TokenStream {
    let arithmetic = named(program.arithmetic);
    let numbers = program.numbers.iter().map(|v| f64_literal(*v));
    let [uniform, code] = [&program.uniform, &program.code].map(|list| {
        let all = list.iter().map(instruction);
        quote!(Borrowed(&[#(#all),*]))
    });
    let guards = program.guards.iter().map(|Guard { outer, condition, holds }| {
        let (outer, condition) = (Literal::u8_unsuffixed(*outer), operand(*condition));
        quote!(Guard { outer: #outer, condition: #condition, holds: #holds })
    });
    let outputs = program.outputs.iter().map(|o| operand(*o));
    let [scalars, slots, inputs] =
        [program.scalars, program.slots, program.inputs].map(|n| count(n.into()));
    let [masks, results] = [program.masks, program.results].map(|n| count(n.into()));
    let (functions, is_mixed) = (count(program.functions.into()), program.is_mixed);
    quote! {
        Program {
            arithmetic: Arithmetic::#arithmetic,
            numbers: Borrowed(&[#(#numbers),*]),
            scalars: #scalars,
            uniform: #uniform,
            guards: Borrowed(&[#(#guards),*]),
            code: #code,
            functions: #functions,
            slots: #slots,
            inputs: #inputs,
            masks: #masks,
            results: #results,
            is_mixed: #is_mixed,
            outputs: Borrowed(&[#(#outputs),*]),
        }
    }
}

/// Name of a variant, as `Debug` prints it.
fn named(variant: impl std::fmt::Debug) -> Ident {
    Ident::new(&format!("{variant:?}"), Span::call_site())
}

fn operand(Operand(place): Operand) -> TokenStream {
    let place = Literal::u16_unsuffixed(place);
    quote!(Operand(#place))
}

fn instruction(Instruction { op, guard, to, args }: &Instruction) -> TokenStream {
    let op = match op {
        Op::Call(prim) => {
            let prim = named(prim);
            quote!(Op::Call(Prim::#prim))
        }
        other => {
            let other = named(other);
            quote!(Op::#other)
        }
    };
    let (guard, to) = (Literal::u8_unsuffixed(*guard), Literal::u16_unsuffixed(to.0));
    let args = args.iter().map(|Operand(place)| Literal::u16_unsuffixed(*place));
    quote!(Instruction::new(#op, #guard, #to, [#(#args),*]))
}
