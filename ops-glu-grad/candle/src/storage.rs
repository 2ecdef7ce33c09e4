//! Views of candle's memory, and conversion of an operator's outputs to candle's memory.

use candle_core::{CpuStorage, Device, Error, Layout, Result, Shape, Storage, Tensor};
use op_dsl::ir::DType;
use op_dsl::ir::bind::TensorMeta;
use op_dsl::ir::op::Value;
use op_dsl::{El, Operator, Options, View, ViewMut};

/// Computes every output of an operator, with its shape.
///
/// An optional input is left out by `None`, or at the end of `inputs` by a shorter slice.
pub fn compute(
    op: &Operator,
    attributes: &[Value],
    inputs: &[Option<(&CpuStorage, &Layout)>],
) -> Result<Vec<(CpuStorage, Shape)>> {
    let count = op.def().inputs.len();
    if inputs.len() > count {
        let (op, got) = (op.name(), inputs.len());
        return Err(Error::msg(format!("{op}: got {got} tensors; takes {count}")));
    }
    let mut views = Vec::with_capacity(count);
    for i in 0..count {
        views.push(match inputs.get(i).copied().flatten() {
            Some((storage, layout)) => view(op, i, storage, layout)?,
            None => View::ABSENT,
        });
    }
    let metas: Vec<_> =
        views.iter().map(|v| TensorMeta { shape: v.shape(), dtype: v.dtype() }).collect();
    let wanted = op.infer(attributes, &metas).map_err(Error::wrap)?;
    let shapes: Vec<&[usize]> = wanted.iter().map(|o| &*o.shape).collect();
    // All outputs of a call have the same type.
    let first = wanted.first().and_then(|o| o.dtype.number());
    let made = match first.unwrap_or(DType::F32) {
        DType::F16 => filled(op, attributes, &views, &shapes, CpuStorage::F16),
        DType::BF16 => filled(op, attributes, &views, &shapes, CpuStorage::BF16),
        DType::F32 => filled(op, attributes, &views, &shapes, CpuStorage::F32),
    }?;
    Ok(made.into_iter().zip(shapes).map(|(storage, shape)| (storage, shape.into())).collect())
}

fn filled<T: El>(
    op: &Operator,
    attributes: &[Value],
    inputs: &[View<'_>],
    shapes: &[&[usize]],
    storage: fn(Vec<T>) -> CpuStorage,
) -> Result<Vec<CpuStorage>> {
    let mut data: Vec<Vec<T>> =
        shapes.iter().map(|shape| vec![T::default(); shape.iter().product()]).collect();
    let views = data.iter_mut().zip(shapes).map(|(data, shape)| ViewMut::new(data, shape));
    let mut views = views.collect::<std::result::Result<Vec<_>, _>>().map_err(Error::wrap)?;
    op.run(attributes, inputs, &mut views, &Options::default()).map_err(Error::wrap)?;
    Ok(data.into_iter().map(storage).collect())
}

fn view<'s>(
    op: &Operator,
    input: usize,
    storage: &'s CpuStorage,
    layout: &Layout,
) -> Result<View<'s>> {
    let (shape, offset) = (layout.dims(), layout.start_offset());
    let strides: Vec<isize> = layout.stride().iter().map(|s| *s as isize).collect();
    let view = match storage {
        CpuStorage::F16(data) => View::strided(data, shape, &strides, offset),
        CpuStorage::BF16(data) => View::strided(data, shape, &strides, offset),
        CpuStorage::F32(data) => View::strided(data, shape, &strides, offset),
        CpuStorage::U8(data) => View::strided(data, shape, &strides, offset),
        CpuStorage::I64(data) => View::strided(data, shape, &strides, offset),
        other => {
            let (got, tensor) = (other_type(other), &op.def().inputs[input].name);
            let op = op.name();
            let allowed = format!("{}; of masks u8, of counts of rows i64", DType::names());
            return Err(Error::msg(format!(
                "{op}: tensor `{tensor}` is {got}; allowed: {allowed}"
            )));
        }
    };
    view.map_err(Error::wrap)
}

fn other_type(storage: &CpuStorage) -> String {
    use candle_core::backend::BackendStorage;
    format!("{:?}", storage.dtype()).to_lowercase()
}

/// Computes every output of an operator on tensors, as [`compute`] does on their memory.
pub fn on_tensors(
    op: &Operator,
    attributes: &[Value],
    inputs: &[Option<&Tensor>],
) -> Result<Vec<Tensor>> {
    let guards: Vec<_> = inputs.iter().map(|t| t.map(|t| t.storage_and_layout())).collect();
    let mut places = Vec::with_capacity(inputs.len());
    for guard in &guards {
        places.push(match guard {
            None => None,
            Some((storage, layout)) => match &**storage {
                Storage::Cpu(storage) => Some((storage, *layout)),
                _ => return Err(Error::msg(format!("{}: tensors must be on the CPU", op.name()))),
            },
        });
    }
    let made = compute(op, attributes, &places)?;
    made.into_iter().map(|(storage, shape)| tensor(storage, shape)).collect()
}

fn tensor(storage: CpuStorage, shape: Shape) -> Result<Tensor> {
    match storage {
        CpuStorage::F16(data) => Tensor::from_vec(data, shape, &Device::Cpu),
        CpuStorage::BF16(data) => Tensor::from_vec(data, shape, &Device::Cpu),
        CpuStorage::F32(data) => Tensor::from_vec(data, shape, &Device::Cpu),
        other => Err(Error::msg(format!("no operator computes {}", other_type(&other)))),
    }
}
