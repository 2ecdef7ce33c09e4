//! Encodes a graph as bytes: equal graphs have equal bytes, and different graphs different ones.
//!
//! Caches of what is computed from a graph use the bytes as a key. They depend on no `Debug` text and on no order of
//! declarations: a primitive is written by its name, a number by its bits.

use crate::graph::{Graph, Id, Node};

impl Graph {
    /// Encodes the graph as bytes: equal graphs have equal bytes, and different graphs different ones.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        write_count(self.nodes.len(), &mut bytes);
        for node in self.nodes.iter() {
            write_node(node, &mut bytes);
        }
        write_count(self.outputs.len(), &mut bytes);
        self.outputs.iter().for_each(|id| write_id(*id, &mut bytes));
        bytes
    }
}

/// Returns the FNV-1a hash of some bytes, which serves as a key of cached files.
///
/// The hash is the same on every machine and in every version.
pub fn hash(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn write_node(node: &Node, bytes: &mut Vec<u8>) {
    match node {
        Node::Stream(number) => {
            bytes.push(0);
            bytes.extend(number.to_le_bytes());
        }
        Node::Scalar(number) => {
            bytes.push(1);
            bytes.extend(number.to_le_bytes());
        }
        Node::Const(number) => {
            bytes.push(2);
            bytes.extend(number.to_bits().to_le_bytes());
        }
        Node::Call(prim, _) => {
            let name = prim.row().name;
            bytes.push(3);
            write_count(name.len(), bytes);
            bytes.extend(name.as_bytes());
            node.args().iter().for_each(|id| write_id(*id, bytes));
        }
    }
}

fn write_id(id: Id, bytes: &mut Vec<u8>) {
    bytes.extend(id.0.to_le_bytes());
}

fn write_count(count: usize, bytes: &mut Vec<u8>) {
    bytes.extend((count as u64).to_le_bytes());
}

#[cfg(test)]
mod tests {
    use crate::graph::{Builder, Graph, Id};
    use crate::prim::Prim;

    fn graph(of: impl Fn(&mut Builder) -> Id) -> Graph {
        let mut b = Builder::new();
        let result = of(&mut b);
        b.finish(&[result])
    }

    /// Checks that every part of a graph is encoded: kinds, numbers, primitives, arguments and outputs.
    #[test]
    fn different_graphs_have_different_bytes() {
        let binary = |prim: Prim, swap: bool| {
            graph(move |b| {
                let (x, y) = (b.stream(0), b.scalar(0));
                b.call(prim, &if swap { [y, x] } else { [x, y] })
            })
        };
        let graphs = [
            graph(|b| b.stream(0)),
            graph(|b| b.stream(1)),
            graph(|b| b.scalar(0)),
            graph(|b| b.num(0.0)),
            graph(|b| b.num(-0.0)),
            binary(Prim::Sub, false),
            binary(Prim::Sub, true),
            binary(Prim::Div, false),
        ];
        for (i, one) in graphs.iter().enumerate() {
            assert_eq!(one.encode(), one.clone().encode());
            for other in &graphs[i + 1..] {
                assert_ne!(one.encode(), other.encode(), "{one:?} {other:?}");
            }
        }
        let two = graph(|b| b.stream(0));
        let twice = Graph { outputs: vec![Id(0), Id(0)].into(), ..two.clone() };
        assert_ne!(two.encode(), twice.encode());
    }
}
