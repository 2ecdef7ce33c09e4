//! Compares gradients with central differences of their forward formulas.

use crate::op::{AttrKind, OpDef, Origin, Part, Spec, Stream, Value};

/// Result of comparing a gradient operator with central differences of its forward operator.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Agreement {
    /// Number of gradient values that were compared with a central difference.
    pub points: usize,
    /// Largest difference between a gradient value and its central difference.
    ///
    /// It is relative to the larger of the derivative and the upstream gradients.
    pub off: f64,
}

/// Compares the graphs of the gradient operator `g` with central differences of its forward operator `f`.
///
/// `oracle` computes the outputs of `f` from its input streams and attributes. Where it returns `None`, as for a derived
/// gradient, which has no function of its own, the graphs of `f` are evaluated.
///
/// # Errors
/// A message of one line if the two differ, if names do not tell which tensors of `f` and `g` correspond, or if too few
/// of the random points have a derivative.
pub fn compare(
    f: &OpDef,
    g: &OpDef,
    oracle: impl Fn(&[f64], &[Value]) -> Option<Vec<f64>>,
) -> Result<Agreement, String> {
    let origins = g.grad_of.as_ref().map_or(&[][..], |of| &of.inputs);
    let above = origins.iter().filter(|o| matches!(o, Origin::Upstream(_))).count();
    if above == 0 || above > f.outputs.len() {
        let known = [f.input_names(), f.output_names()].concat().join(", ");
        return Err(format!("one input is the upstream gradient, besides some of: {known}"));
    }
    let wrt = wrt(f, g)?;
    let (names, ins, outs) = (g.input_names(), f.input_streams(), f.output_streams());
    let mut random = Random(1);
    let mut found = Agreement::default();
    for (spec, of) in g.specs.iter().flat_map(|s| f.specs.iter().map(move |of| (s, of))) {
        let mut judged = vec![0; wrt.len()];
        for _ in 0..400 {
            let Some((attrs, f_attrs)) = attributes(f, g, spec, of, &mut random) else {
                judged.fill(usize::MAX); // no call selects both specialisations
                break;
            };
            let mut x: Vec<f64> = (0..ins.len())
                .map(|k| match f.is_mask(k) {
                    true => f64::from(random.sample() > 0.0),
                    false => random.sample(),
                })
                .collect();
            // Saved outputs have no upstream gradient.
            let from_above = |s: &Stream| if s.tensor < above { random.sample() } else { 0.0 };
            let dy: Vec<f64> = outs.iter().map(from_above).collect();
            // Saved values depend on the inputs, so they are recomputed whenever an input changes.
            let scalars = f.scalars(&f_attrs);
            let y = |x: &mut [f64]| {
                of.restore(x, &scalars);
                oracle(x, &f_attrs).unwrap_or_else(|| of.graph.eval(x, &scalars))
            };
            let values = y(&mut x);
            let held = |s: Stream| match origins[s.tensor] {
                Origin::Own => f64::NAN, // left out
                Origin::Input(t) => value(&ins, &x, t, s.part),
                Origin::Output(t) => value(&outs, &values, t, s.part),
                Origin::Upstream(t) => value(&outs, &dy, t, s.part),
            };
            let streams: Vec<f64> = g.input_streams().into_iter().map(held).collect();
            let got = spec.graph.eval(&streams, &g.scalars(&attrs));
            for (k, i) in wrt.iter().enumerate() {
                let at = |step: f64| {
                    let mut x = x.clone();
                    x[*i] += step;
                    y(&mut x).iter().zip(&dy).map(|(y, dy)| y * dy).sum::<f64>()
                };
                let slope =
                    |h: f64| (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
                let want = slope(1e-3);
                let scale = dy.iter().fold(want.abs(), |most, dy| most.max(dy.abs()));
                let near = |other: f64, tolerance: f64| (other - want).abs() <= tolerance * scale;
                // Two step sizes disagree near a breakpoint or where there is no value: skip the point.
                if !near(slope(2e-3), 1e-7) {
                    continue;
                }
                judged[k] += 1;
                found.points += 1;
                found.off = found.off.max((got[k] - want).abs() / scale);
                if !near(got[k], 1e-6) {
                    let output = &g.output_names()[k];
                    let point = names.iter().zip(&streams).map(|(n, v)| format!("{n} = {v:.6}"));
                    let attrs =
                        g.attrs.iter().zip(&attrs).map(|(a, v)| format!("{} = {v:?}", a.name));
                    let point = point.chain(attrs).collect::<Vec<_>>().join(", ");
                    return Err(format!("`{output}` is {}, not {want}, at {point}", got[k]));
                }
            }
        }
        if judged.iter().any(|n| *n < 20) {
            return Err("fewer than 20 of 400 points have a derivative".to_owned());
        }
    }
    Ok(found)
}

/// Returns the value of the stream that reads this part of tensor `tensor`; NaN if there is none.
fn value(streams: &[Stream], values: &[f64], tensor: usize, part: Part) -> f64 {
    let at = streams.iter().position(|s| *s == Stream { tensor, part });
    at.map_or(f64::NAN, |at| values[at])
}

/// Returns, for each output stream of the gradient `g`, the input stream of `f` it is the gradient of.
fn wrt(f: &OpDef, g: &OpDef) -> Result<Vec<usize>, String> {
    let wrt = g.grad_of.as_ref().map_or(&[][..], |of| &of.wrt);
    let ins = f.input_streams();
    let of = |s: Stream| {
        let tensor = *wrt.get(s.tensor)?;
        ins.iter().position(|i| *i == Stream { tensor, part: s.part })
    };
    g.output_streams().into_iter().map(of).collect::<Option<_>>().ok_or_else(|| {
        format!("outputs are `d` and the name of an input, of {}", f.input_names().join(", "))
    })
}

/// Returns attributes of the gradient `g` and of `f` that select the formula variants `spec` and `of`.
///
/// Floats are varied at random around their defaults. Returns `None` if no attributes select both, or if one of them is for a call
/// with an optional input that this test leaves out.
fn attributes(
    f: &OpDef,
    g: &OpDef,
    spec: &Spec,
    of: &Spec,
    random: &mut Random,
) -> Option<(Vec<Value>, Vec<Value>)> {
    // An optional input that only saves work is tested as left out.
    let own = |i: usize| g.grad_of.as_ref().and_then(|of| of.inputs.get(i)) == Some(&Origin::Own);
    let spares =
        |(i, v): &(usize, i64)| *v != 0 && matches!(g.attrs[*i].kind, AttrKind::Given(t) if own(t));
    if spec.when.iter().any(spares) {
        return None;
    }
    // An optional input of the forward operator that the gradient does not hold is tested as left out, too.
    let held =
        |t: usize| g.grad_of.as_ref().is_some_and(|of| of.inputs.contains(&Origin::Input(t)));
    let unknown = |(i, v): &(usize, i64)| {
        *v != 0 && matches!(f.attrs[*i].kind, AttrKind::Given(t) if !held(t))
    };
    if of.when.iter().any(unknown) {
        return None;
    }
    let fixed =
        |spec: &Spec, i: usize| spec.when.iter().find(|w| w.0 == i).map(|w| Value::Int(w.1));
    let same = |i: usize| g.attrs.iter().position(|a| a.name == f.attrs[i].name);
    let mut vary = |default: Value| match default {
        Value::Float(0.0) => Value::Float(f64::from(random.sample() as f32)),
        Value::Float(v) => Value::Float(f64::from((v * (1.0 + 0.1 * random.sample())) as f32)),
        other => other,
    };
    let mut attrs: Vec<Value> = g.attrs.iter().map(|a| vary(a.default)).collect();
    for (i, v) in attrs.iter_mut().enumerate() {
        *v = fixed(spec, i).unwrap_or(*v);
    }
    // The gradient takes over what the forward operator branches on, if it has that attribute; otherwise it does not
    // matter.
    for (i, v) in of.when.iter() {
        match same(*i) {
            Some(k) if fixed(spec, k).is_some_and(|fixed| fixed != Value::Int(*v)) => return None,
            Some(k) => attrs[k] = Value::Int(*v),
            None => {}
        }
    }
    let of_forward = |i: usize| fixed(of, i).or_else(|| Some(attrs[same(i)?]));
    let f_attrs = (0..f.attrs.len()).map(|i| of_forward(i).unwrap_or(f.attrs[i].default));
    Some((attrs.clone(), f_attrs.collect()))
}

/// A deterministic generator of roughly normal numbers: twice the centred sum of 12 uniform ones.
struct Random(u64);

impl Random {
    fn sample(&mut self) -> f64 {
        let mut unit = || {
            self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (self.0 >> 11) as f64 / (1u64 << 53) as f64
        };
        let sum: f64 = (0..12).map(|_| unit()).sum();
        2.0 * (sum - 6.0)
    }
}
