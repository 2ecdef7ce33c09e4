#![doc = include_str!("../README.md")]

mod gradient;
mod storage;

use candle_core::{
    CpuStorage, CustomOp1, CustomOp2, CustomOp3, Error, Layout, Result, Shape, Tensor,
};
use op_dsl::Operator;
use op_dsl::ir::op::Value;

/// A table of operators, as `op_dsl::operators` generates from their definitions.
pub type Table = &'static [&'static Operator];

/// An operator with its attributes, for `Tensor::apply_op1`, `apply_op2` and `apply_op3`.
#[derive(Clone, Debug)]
pub struct Op {
    operator: &'static Operator,
    table: Table,
    attributes: Vec<Value>,
    output: usize,
}

impl Op {
    /// Returns an operator of `ops-glu-grad` by its name, with default attributes.
    ///
    /// # Errors
    /// If there is no operator of this name.
    pub fn named(name: &str) -> Result<Op> {
        Op::of(ops_glu_grad::OPERATORS, name)
    }

    /// Returns an operator of a table, which should contain the operator's gradient too.
    ///
    /// # Errors
    /// If there is no operator of this name.
    pub fn of(table: Table, name: &str) -> Result<Op> {
        let Some(operator) = table.iter().find(|operator| operator.name() == name) else {
            let known = table.iter().map(|operator| operator.name()).collect::<Vec<_>>().join(", ");
            return Err(Error::msg(format!("no operator `{name}`; there are {known}")));
        };
        Ok(Op { operator, table, attributes: operator.default_attrs(), output: 0 })
    }

    /// Sets an attribute from text: enums by name or number, booleans as `true` or `false`.
    ///
    /// # Errors
    /// If there is no such attribute, or the text is not one of its values.
    pub fn with(mut self, attribute: &str, value: &str) -> Result<Op> {
        let (index, value) = self.operator.parse_attr(attribute, value).map_err(Error::wrap)?;
        self.attributes[index] = value;
        Ok(self)
    }

    /// Selects this output as the result, instead of the first.
    ///
    /// The result can be differentiated if its gradient is an input of a gradient operator in the table.
    ///
    /// # Errors
    /// If there is no such output.
    pub fn output(mut self, name: &str) -> Result<Op> {
        let outputs = &self.operator.def().outputs;
        let Some(index) = outputs.iter().position(|tensor| tensor.name == name) else {
            let known = outputs.iter().map(|tensor| &*tensor.name).collect::<Vec<_>>().join(", ");
            let op = self.operator.name();
            return Err(Error::msg(format!("{op}: no output `{name}`; there are {known}")));
        };
        self.output = index;
        Ok(self)
    }

    /// Computes all outputs, without derivatives; `None` stands for an omitted optional input.
    ///
    /// # Errors
    /// If attributes, shapes, element types or devices are invalid.
    pub fn run(&self, inputs: &[Option<&Tensor>]) -> Result<Vec<Tensor>> {
        storage::on_tensors(self.operator, &self.attributes, inputs)
    }

    /// Computes the output that is selected as the result.
    fn result(&self, inputs: &[(&CpuStorage, &Layout)]) -> Result<(CpuStorage, Shape)> {
        let inputs: Vec<_> = inputs.iter().copied().map(Some).collect();
        let mut outputs = storage::compute(self.operator, &self.attributes, &inputs)?;
        Ok(outputs.swap_remove(self.output))
    }
}

impl CustomOp1 for Op {
    fn name(&self) -> &'static str {
        self.operator.name()
    }

    fn cpu_fwd(&self, s: &CpuStorage, l: &Layout) -> Result<(CpuStorage, Shape)> {
        self.result(&[(s, l)])
    }

    fn bwd(&self, x: &Tensor, result: &Tensor, gradient: &Tensor) -> Result<Option<Tensor>> {
        let [x] = self.backward([x], result, gradient)?;
        Ok(x)
    }
}

impl CustomOp2 for Op {
    fn name(&self) -> &'static str {
        self.operator.name()
    }

    fn cpu_fwd(
        &self,
        s1: &CpuStorage,
        l1: &Layout,
        s2: &CpuStorage,
        l2: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        self.result(&[(s1, l1), (s2, l2)])
    }

    fn bwd(
        &self,
        x1: &Tensor,
        x2: &Tensor,
        result: &Tensor,
        gradient: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>)> {
        self.backward([x1, x2], result, gradient).map(Into::into)
    }
}

impl CustomOp3 for Op {
    fn name(&self) -> &'static str {
        self.operator.name()
    }

    fn cpu_fwd(
        &self,
        s1: &CpuStorage,
        l1: &Layout,
        s2: &CpuStorage,
        l2: &Layout,
        s3: &CpuStorage,
        l3: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        self.result(&[(s1, l1), (s2, l2), (s3, l3)])
    }

    fn bwd(
        &self,
        x1: &Tensor,
        x2: &Tensor,
        x3: &Tensor,
        result: &Tensor,
        gradient: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>, Option<Tensor>)> {
        self.backward([x1, x2, x3], result, gradient).map(Into::into)
    }
}
