//! Tests of each rule for shapes, element types and attributes.

use super::*;
use crate::op::{Along, Attr, Spec, Split, Tensor, Variant};
use crate::{DType::*, Graph};

fn def(inputs: &[(&'static str, Kind)], output: Kind) -> OpDef {
    let tensor =
        |name: &'static str, kind| Tensor { name: name.into(), kind, own: None, used: true };
    let graph = || Graph { nodes: vec![].into(), outputs: vec![].into() };
    let spec = |v| Spec { when: vec![(1, v)].into(), ..Spec::of(graph()) };
    let variant = |ident: &'static str, name: &'static str, value| Variant {
        ident: ident.into(),
        name: name.into(),
        value,
    };
    let approximate = AttrKind::Enum {
        ty: "Approximate".into(),
        wire_str: true,
        variants: vec![variant("None", "none", 0), variant("Tanh", "tanh", 1)].into(),
    };
    let attr =
        |name: &'static str, kind, default| Attr { name: name.into(), kind, default, any: false };
    OpDef {
        name: "Op".into(),
        inputs: inputs.iter().map(|&(n, k)| tensor(n, k)).collect::<Vec<_>>().into(),
        outputs: vec![tensor("out", output)].into(),
        attrs: vec![
            attr("dim", AttrKind::Dim, Value::Int(-1)),
            attr("approximate", approximate, Value::Int(1)),
            attr("left", AttrKind::Bool, Value::Bool(false)),
        ]
        .into(),
        split: Some(Split { dim: 0, gate: Gate::LeftIf(2), pattern: Pattern::Halves }),
        dtypes: DType::ALL.to_vec().into(),
        empty: true,
        specs: vec![spec(0), spec(1)].into(),
        ..OpDef::default()
    }
}

fn attrs(dim: i64, approximate: i64, left: bool) -> [Value; 3] {
    [Value::Int(dim), Value::Int(approximate), Value::Bool(left)]
}

fn meta(shape: &[usize]) -> TensorMeta<'_> {
    TensorMeta { shape, dtype: F32.into() }
}

#[test]
fn attributes_pick_the_specialisation() {
    let def = def(&[("x", Kind::Gated)], Kind::Whole);
    for spec in 0..2 {
        let bound = bind(&def, &attrs(0, spec as i64, true), &[meta(&[4, 3])]).unwrap();
        assert_eq!(bound.spec, spec);
    }
    let error = bind(&def, &attrs(0, 2, true), &[meta(&[4, 3])]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Op: attribute `approximate` cannot be 2; allowed: none (0), tanh (1)"
    );
    assert_eq!(parse_attr(&def, "approximate", "none"), Ok((1, Value::Int(0))));
    assert_eq!(parse_attr(&def, "approximate", "1"), Ok((1, Value::Int(1))));
    assert!(parse_attr(&def, "approximate", "2").is_err());
}

#[test]
fn every_dimension_of_every_rank_splits() {
    let def = def(&[("dy", Kind::Whole), ("x", Kind::Gated)], Kind::Gated);
    for rank in 1..=MAX_RANK {
        for dim in 0..rank {
            let whole: Vec<usize> = (2..2 + rank).collect();
            let mut gated = whole.clone();
            gated[dim] *= 2;
            for named in [dim as i64, dim as i64 - rank as i64] {
                let metas = [meta(&whole), meta(&gated)];
                let bound = bind(&def, &attrs(named, 0, false), &metas).unwrap();
                assert_eq!(*bound.domain, *whole);
                assert_eq!(*bound.shape(Kind::Gated), *gated);
                let out = infer(&def, &attrs(named, 0, false), &metas).unwrap();
                assert_eq!((*out[0].shape).to_vec(), gated);
                // The gate is the second half.
                let at = |offset| Place { offset, step: 1 };
                assert_eq!(bound.place(Part::Gate), at(whole[dim]));
                assert_eq!(bound.place(Part::Value), at(0));
                assert_eq!(bound.place(Part::Whole), at(0));
            }
        }
    }
    let nine = [2; 9];
    assert_eq!(
        bind(&def, &attrs(0, 0, false), &[meta(&nine), meta(&nine)]).unwrap_err().to_string(),
        "Op: tensor `dy` has rank 9; allowed: 1 to 8"
    );
}

#[test]
fn interleaved_parts_take_turns() {
    let mut def = def(&[("x", Kind::Gated)], Kind::Whole);
    def.split.as_mut().unwrap().pattern = Pattern::Interleaved;
    let bound = bind(&def, &attrs(-1, 0, true), &[meta(&[3, 8])]).unwrap();
    assert_eq!(*bound.domain, [3, 4]);
    assert_eq!(bound.place(Part::Gate), Place { offset: 0, step: 2 });
    assert_eq!(bound.place(Part::Value), Place { offset: 1, step: 2 });
}

#[test]
fn an_attribute_says_how_parts_lie() {
    let mut def = def(&[("x", Kind::Gated)], Kind::Whole);
    def.split.as_mut().unwrap().pattern = Pattern::InterleavedIf(2);
    for (interleaved, value) in
        [(true, Place { offset: 1, step: 2 }), (false, Place { offset: 4, step: 1 })]
    {
        let mut attrs = attrs(-1, 0, interleaved);
        def.split.as_mut().unwrap().gate = Gate::Left;
        let bound = bind(&def, &attrs, &[meta(&[3, 8])]).unwrap();
        assert_eq!(bound.place(Part::Value), value);
        attrs[2] = Value::Bool(!interleaved);
        assert_ne!(bind(&def, &attrs, &[meta(&[3, 8])]).unwrap(), bound);
    }
}

#[test]
fn broadcast_is_numpys() {
    let mut def = def(&[("a", Kind::Whole), ("b", Kind::Whole)], Kind::Whole);
    (def.broadcast, def.split) = (true, None);
    for (a, b, want) in [
        (&[2, 3][..], &[3][..], Some(&[2, 3][..])),
        (&[2, 1], &[1, 3], Some(&[2, 3])),
        (&[3], &[2, 1, 1], Some(&[2, 1, 3])),
        (&[4], &[1], Some(&[4])),
        (&[0], &[1], Some(&[0])),
        (&[2, 0], &[2, 1], Some(&[2, 0])),
        (&[2], &[3], None),
        (&[0], &[2], None),
        (&[2, 3], &[2], None),
    ] {
        for (a, b) in [(a, b), (b, a)] {
            let bound = bind(&def, &attrs(-1, 0, false), &[meta(a), meta(b)]);
            assert_eq!(bound.ok().map(|b| b.domain.to_vec()), want.map(<[_]>::to_vec));
        }
    }
}

/// Weights `[c]` beside `[n, c, ..]` lie along dimension 1, and one weight fits all.
#[test]
fn an_input_may_lie_along_another_dimension_than_the_last() {
    let mut def = def(&[("w", Kind::Whole), ("x", Kind::Whole)], Kind::Whole);
    (def.broadcast, def.split, def.wide) = (true, None, vec![1].into());
    def.along = vec![Along { input: 0, dim: 1 }].into();
    let graph = Graph { nodes: vec![].into(), outputs: vec![].into() };
    (def.attrs, def.specs) = (vec![].into(), vec![Spec::of(graph)].into());
    let allowed = |w: &[usize], x: &[usize]| {
        let bound = bind(&def, &[], &[meta(w), meta(x)]);
        bound.map(|b| assert_eq!(&*b.domain, x)).map_err(|e| e.to_string())
    };
    for (w, x, shape) in [
        (&[3][..], &[2, 3][..], &[3][..]),
        (&[3], &[2, 3, 4], &[3, 1]),
        (&[3], &[2, 3, 4, 5], &[3, 1, 1]),
        (&[0], &[2, 0, 3], &[0, 1]),
        (&[1], &[2, 3, 4], &[1]),
        (&[1], &[5], &[1]),
        (&[1], &[], &[]),
        (&[], &[2, 3], &[]),
        (&[3, 1], &[2, 3, 4], &[3, 1]),
        (&[1, 4], &[2, 3, 4], &[1, 4]),
    ] {
        assert_eq!(allowed(w, x), Ok(()));
        assert_eq!(&*laid(&def, 0, x.len(), w), shape);
        assert_eq!(&*laid(&def, 1, x.len(), x), x);
    }
    for (w, x, why) in [
        (
            &[4][..],
            &[2, 3, 4][..],
            "has shape [4], along dimension 1 of [2, 3, 4]; allowed: [1], [3]",
        ),
        (&[3], &[3], "has shape [3], along dimension 1 of [3]; allowed: [1]"),
        (&[2], &[], "has shape [2], along dimension 1 of []; allowed: [1]"),
        (&[3], &[2, 1, 4], "has shape [3], along dimension 1 of [2, 1, 4]; allowed: [1]"),
    ] {
        assert_eq!(allowed(w, x), Err(format!("Op: tensor `w` {why}")));
    }
}

#[test]
fn gated_tensors_broadcast_too() {
    let mut def = def(&[("dy", Kind::Whole), ("x", Kind::Gated)], Kind::Gated);
    def.broadcast = true;
    let metas = [meta(&[5, 4, 3]), meta(&[1, 6])];
    let bound = bind(&def, &attrs(-1, 0, false), &metas).unwrap();
    assert_eq!(*bound.domain, [5, 4, 3]);
    assert_eq!(*bound.shape(Kind::Gated), [5, 4, 6]);
    // The split dimension is one that `x` does not have.
    let error = bind(&def, &attrs(0, 0, false), &metas).unwrap_err();
    assert_eq!(error.to_string(), "Op: tensor `x` has rank 2; allowed: 3 to 8");
}

#[test]
fn types_promote_only_where_allowed() {
    let mut def = def(&[("a", Kind::Whole), ("b", Kind::Whole)], Kind::Whole);
    def.split = None;
    for a in DType::ALL {
        for b in DType::ALL {
            let metas = [a, b].map(|dtype| TensorMeta { shape: &[2], dtype: dtype.into() });
            def.promote = true;
            let bound = bind(&def, &attrs(0, 0, false), &metas).unwrap();
            assert_eq!(bound.dtype, if a == b { a } else { F32 });
            def.promote = false;
            assert_eq!(bind(&def, &attrs(0, 0, false), &metas).is_ok(), a == b);
        }
    }
}

#[test]
fn sizes_that_overflow() {
    let mut def = def(&[("a", Kind::Whole), ("b", Kind::Whole)], Kind::Gated);
    def.broadcast = true;
    let (long, tall) = ([1, 1 << 40], [1 << 40, 1]);
    let error = bind(&def, &attrs(0, 0, false), &[meta(&long), meta(&tall)]).unwrap_err();
    assert!(error.to_string().contains("overflows"), "{error}");
    for n in [usize::MAX, usize::MAX / 4, isize::MAX as usize / 4] {
        let error = bind(&def, &attrs(0, 0, false), &[meta(&[n]), meta(&[n])]).unwrap_err();
        assert!(error.to_string().contains("overflows"), "{error}");
    }
}

#[test]
fn scalars_have_no_dimension_to_split() {
    let mut def = def(&[("a", Kind::Whole)], Kind::Whole);
    assert!(bind(&def, &attrs(0, 0, false), &[meta(&[])]).is_err());
    def.split = None;
    def.attrs.to_mut()[0].kind = AttrKind::Int;
    let bound = bind(&def, &attrs(0, 0, false), &[meta(&[])]).unwrap();
    assert_eq!((bound.domain.len(), bound.domain.elements()), (0, Some(1)));
}

fn stored(shape: &[usize], dtype: Stored) -> TensorMeta<'_> {
    TensorMeta { shape, dtype }
}

#[test]
fn masks_are_outside_of_the_rule_for_element_types() {
    let mut def = def(&[("keep", Kind::Mask), ("x", Kind::Whole)], Kind::Whole);
    def.split = None;
    def.dtypes = vec![F16].into();
    let attrs = attrs(0, 0, false);
    let x = stored(&[2, 3], F16.into());
    for mask in [Stored::Byte, Stored::Bit] {
        let bound = bind(&def, &attrs, &[stored(&[2, 3], mask), x]).unwrap();
        assert_eq!((bound.dtype, &*bound.domain), (F16, &[2, 3][..]));
    }
    let error = |inputs: &[TensorMeta<'_>]| bind(&def, &attrs, inputs).unwrap_err().to_string();
    assert_eq!(error(&[x, x]), "Op: tensor `keep` has dtype f16; allowed: bool, uint8, uint1");
    let mask = stored(&[2, 3], Stored::Byte);
    assert_eq!(error(&[mask, mask]), "Op: tensor `x` has dtype bool; allowed: f16");
    // The activation is the first numeric input, although a mask comes before it.
    assert_eq!(crate::roles::activation(&def), 1);
}

#[test]
fn what_may_be_left_out_picks_the_specialisation() {
    let mut def = def(&[("t", Kind::Whole), ("x", Kind::Whole)], Kind::Whole);
    (def.split, def.broadcast) = (None, true);
    let given = AttrKind::Given(0);
    let presence = Attr { name: "t".into(), kind: given, default: Value::Bool(false), any: false };
    def.attrs.to_mut().push(presence);
    let graph = || Graph { nodes: vec![].into(), outputs: vec![].into() };
    let spec = |v| Spec { when: vec![(3, v)].into(), ..Spec::of(graph()) };
    def.specs = vec![spec(0), spec(1)].into();
    let attrs = attrs(0, 0, false);
    let (absent, x) = (stored(&[], Stored::Nothing), stored(&[2, 3], F32.into()));
    let bound = |t| bind(&def, &attrs, &[t, x]).unwrap();
    assert_eq!((bound(absent).spec, &*bound(absent).domain), (0, &[2, 3][..]));
    assert_eq!((bound(x).spec, &*bound(x).domain), (1, &[2, 3][..]));
    let error = bind(&def, &attrs, &[x, absent]).unwrap_err().to_string();
    assert_eq!(error, "Op: tensor `x` is missing; it may not be left out");
    // Callers do not pass the presence attribute, because the inputs determine it.
    assert!(parse_attr(&def, "t", "true").is_err());
    assert_eq!(def.passed().len(), 3);
}
