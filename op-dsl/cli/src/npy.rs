//! `.npy` files: strict reading, and writing of whole files or none.

mod header;

use super::array::{Array, Data, with_elements};
use super::scratch::{ScratchFile, parent};
use codegen_cpu::with_element;
use header::{Header, TypeString};
use op_dsl_ir::bind::{MAX_RANK, elements};
use op_dsl_ir::op::{Kind, Tensor};
use op_dsl_ir::{DType, Row, Stored};
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// Maximum size in bytes of an `.npy` header, because a damaged file may state any size; headers of plain arrays have about a hundred.
const MAX_HEADER: usize = 1 << 16;
/// First bytes of every `.npy` file.
const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// Alignment in bytes of the data in a file.
const ALIGNMENT: usize = 64;

/// Reads an `.npy` file as a tensor of an operator: numbers, a mask, or row counts.
///
/// A file of numbers must have the element type `asked`; without one, f16 or f32. A file of a mask must have bool or
/// uint8, a file of row counts int64, and that of a tensor with a type of its own this type. A file in Fortran order becomes a tensor with the strides of that order, so
/// that nothing is transposed.
pub fn read(path: &Path, tensor: &Tensor, asked: Option<DType>) -> Result<Array, String> {
    if fs::metadata(path).map_err(plain)?.is_dir() {
        return Err("is a directory".into());
    }
    let mut file = BufReader::new(File::open(path).map_err(plain)?);
    let header = header(&mut file)?;
    let held = match (tensor.kind, tensor.own) {
        (kind, None) if kind.is_numbers() => {
            Elements::Numbers(dtype(header.descr.as_ref(), asked)?)
        }
        (kind, Some(Stored::Number(own))) if kind.is_numbers() => {
            Elements::Numbers(dtype(header.descr.as_ref(), Some(own))?)
        }
        (kind, Some(own)) if kind.is_numbers() && own != Stored::Byte => {
            converted(header.descr.as_ref(), own)?
        }
        (Kind::Rows, _) => count(header.descr.as_ref())?,
        _ => truth(header.descr.as_ref())?,
    };
    let shape: Option<Vec<usize>> = header.shape.iter().map(|&n| n.try_into().ok()).collect();
    let len = shape.as_deref().and_then(elements);
    let (Some(shape), Some(len)) = (shape, len) else {
        return Err(format!("the number of elements of shape {:?} overflows", header.shape));
    };
    if shape.len() > MAX_RANK {
        return Err(format!("has rank {}; allowed: 0 to {MAX_RANK}", shape.len()));
    }
    let data = match held {
        Elements::Numbers(dtype) => {
            with_element!(dtype, E => data(len, &mut file, E::from_le_bytes)?.into())
        }
        Elements::Converted(stored) => {
            let size = stored.size();
            let bytes = data(len.saturating_mul(size), &mut file, u8::from_le_bytes)?;
            Data::Converted(stored, bytes)
        }
        Elements::Bools => Data::Bytes(data(len, &mut file, |[b]: [u8; 1]| u8::from(b != 0))?),
        Elements::Bytes => Data::Bytes(data(len, &mut file, u8::from_le_bytes)?),
        Elements::Counts => Data::Int64(data(len, &mut file, i64::from_le_bytes)?),
    };
    if file.read(&mut [0]).map_err(plain)? != 0 {
        return Err("has more data than its header says".into());
    }
    let mut array = Array::dense(data, shape);
    if header.fortran_order {
        let reversed: Vec<usize> = array.shape.iter().rev().copied().collect();
        let dense = codegen_cpu::rt::view::contiguous_strides(&reversed);
        array.strides = dense[..reversed.len()].iter().rev().copied().collect();
    }
    Ok(array)
}

fn header(file: &mut impl Read) -> Result<Header, String> {
    let not_npy = || String::from("is not an .npy file");
    let mut start = [0; 8];
    file.read_exact(&mut start).map_err(|_| not_npy())?;
    if start[..6] != *MAGIC {
        return Err(not_npy());
    }
    let width = if start[6] == 1 { 2 } else { 4 };
    let mut size = [0; 4];
    file.read_exact(&mut size[..width]).map_err(|_| not_npy())?;
    let size = u32::from_le_bytes(size) as usize;
    if size > MAX_HEADER {
        return Err(format!("has a header of {size} bytes; allowed: {MAX_HEADER}"));
    }
    let mut text = vec![0; size];
    file.read_exact(&mut text).map_err(|_| String::from("ends within its header"))?;
    header::parse(&text)
}

/// Element type of a file.
enum Elements {
    Numbers(DType),
    Converted(Stored),
    Bools,
    Bytes,
    Counts,
}

/// Checks that `held`, the element type of a file, suits row counts.
///
/// An error says why the file cannot be used. `held` is `None` if the file has records instead of numbers.
fn count(held: Option<&TypeString>) -> Result<Elements, String> {
    let ty = held.ok_or("holds records; allowed for counts of rows: int64")?;
    match ty.kind_and_size() {
        Some(('i', 8)) if !ty.is_big_endian() => Ok(Elements::Counts),
        _ => Err(format!("holds {ty}; allowed for counts of rows: int64")),
    }
}

/// Checks that `held`, the element type of a file, is `own`, the type of a tensor; floats of 8 bits are saved as their bits.
///
/// An error says why the file cannot be used. `held` is `None` if the file has records instead of numbers.
fn converted(held: Option<&TypeString>, own: Stored) -> Result<Elements, String> {
    let (wanted, letter) = match own {
        Stored::E4m3fn | Stored::E5m2 => (format!("uint8, the bits of {own}"), 'u'),
        Stored::Uint8 => (own.to_string(), 'u'),
        _ => (own.to_string(), 'i'),
    };
    let ty = held.ok_or_else(|| format!("holds records; allowed: {wanted}"))?;
    match ty.kind_and_size() {
        Some((kind, size)) if kind == letter && size == own.size() && !ty.is_big_endian() => {
            Ok(Elements::Converted(own))
        }
        _ => Err(format!("holds {ty}; allowed: {wanted}")),
    }
}

/// Checks that `held`, the element type of a file, suits a mask.
///
/// An error says why the file cannot be used. `held` is `None` if the file has records instead of numbers.
fn truth(held: Option<&TypeString>) -> Result<Elements, String> {
    let ty = held.ok_or("holds records; allowed for a mask: bool, uint8")?;
    match ty.kind_and_size() {
        Some(('b', 1)) => Ok(Elements::Bools),
        Some(('u', 1)) => Ok(Elements::Bytes),
        _ => Err(format!("holds {ty}; allowed for a mask: bool, uint8")),
    }
}

/// Returns the element type of a file of numbers, after the check that it is `asked` if that is given.
///
/// An error says why the file cannot be used. `held` is `None` if the file has records instead of numbers.
fn dtype(held: Option<&TypeString>, asked: Option<DType>) -> Result<DType, String> {
    let Some(ty) = held else {
        return Err(format!("holds records; allowed: arrays of {}", allowed()));
    };
    let found = match ty.kind_and_size() {
        _ if ty.is_big_endian() => {
            return Err(format!(
                "holds big-endian {ty}; save it as little-endian: a.astype('<{}')",
                ty.unordered()
            ));
        }
        Some(('f', 8)) => {
            return Err("holds float64; convert it first: a.astype(numpy.float32)".into());
        }
        Some(('V', 2)) => {
            return Err("holds raw bytes; save bfloat16 as its bits: a.view(numpy.uint16)".into());
        }
        held => DType::ALL
            .into_iter()
            .find(|d| held == Some((letter(*d), d.size())))
            .ok_or_else(|| format!("holds {ty}; allowed: {}", allowed()))?,
    };
    match (found, asked) {
        (_, None) if !found.is_in_numpy() => {
            let Row { name, python, numpy, .. } = found.row();
            Err(format!("holds {numpy}; if these are the bits of {python}, add --dtype {name}"))
        }
        (_, Some(asked)) if asked != found => {
            let need = asked.row().numpy;
            let has = found.row().numpy;
            Err(format!("holds {has}, but --dtype {asked} needs {need}"))
        }
        _ => Ok(found),
    }
}

/// Returns the letter of an element type in NumPy's type strings: `u` where it is saved as its bits, else `f`.
fn letter(dtype: DType) -> char {
    if dtype.is_in_numpy() { 'f' } else { 'u' }
}

/// Returns NumPy's names of the element types that a file may have, for messages.
fn allowed() -> String {
    let (own, other): (Vec<DType>, Vec<DType>) =
        DType::ALL.into_iter().partition(|d| d.is_in_numpy());
    let own: Vec<&str> = own.into_iter().map(|d| d.row().numpy).collect();
    let other = other.into_iter().map(|d| format!(" or, with --dtype {d}, {}", d.row().numpy));
    own.join(", ") + &other.collect::<String>()
}

/// Reads `count` elements of `N` bytes each.
fn data<const N: usize, T>(
    count: usize,
    mut file: impl Read,
    element: impl Fn([u8; N]) -> T,
) -> Result<Vec<T>, String> {
    // Memory is not reserved in advance, because the header may promise more elements than the file has.
    let (mut values, mut bytes) = (Vec::new(), [0; N]);
    while values.len() < count {
        file.read_exact(&mut bytes).map_err(|e| match e.kind() {
            io::ErrorKind::UnexpectedEof => {
                format!("is truncated: {} of {count} elements", values.len())
            }
            _ => plain(e),
        })?;
        values.push(element(bytes));
    }
    Ok(values)
}

/// Formats an I/O error without the operating system's error number, where the kind of error is common.
pub fn plain(e: io::Error) -> String {
    match e.kind() {
        io::ErrorKind::NotFound => "no such file or directory".into(),
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        _ => e.to_string(),
    }
}

/// Returns the path to write an output to, with symbolic links resolved.
///
/// It is an error if the path exists and is not a regular file.
pub fn target(path: &Path) -> Result<PathBuf, String> {
    match fs::metadata(path) {
        Ok(meta) if meta.is_dir() => Err("is a directory".into()),
        Ok(meta) if !meta.is_file() => Err("is not a regular file".into()),
        Ok(_) => fs::canonicalize(path).map_err(plain),
        Err(_) => {
            let name = path.file_name().ok_or("is not the name of a file")?;
            let parent = parent(path);
            let parent = fs::canonicalize(parent)
                .map_err(|e| format!("directory {}: {}", parent.display(), plain(e)))?;
            Ok(parent.join(name))
        }
    }
}

/// Writes an array to a temporary file next to `target`, the path that it is placed at later.
pub fn write_beside(target: &Path, array: &Array) -> Result<ScratchFile, String> {
    let name = target.file_name().ok_or("is not the name of a file")?;
    let beside =
        ScratchFile::new_in(parent(target), &format!(".{}.", name.display())).map_err(plain)?;
    write(&beside.file, array).map_err(plain)?;
    Ok(beside)
}

fn write(file: &File, array: &Array) -> io::Result<()> {
    let mut out = BufWriter::new(file);
    let descr = match array.stored() {
        Stored::Number(dtype) => &format!("<{}{}", letter(dtype), dtype.size()),
        Stored::Byte => "|b1",
        Stored::Bit | Stored::Uint8 | Stored::E4m3fn | Stored::E5m2 => "|u1",
        Stored::Int8 => "|i1",
        Stored::Int16 => "<i2",
        Stored::Int32 => "<i4",
        Stored::Float64 => "<f8",
        Stored::Int64 => "<i8",
        Stored::Nothing => return Ok(()), // no output is left out
    };
    out.write_all(&header_bytes(descr, &array.shape)?)?;
    macro_rules! save {
        ($values:expr) => {
            $values[array.start..].iter().try_for_each(|v| out.write_all(&v.to_le_bytes()))?
        };
    }
    with_elements!(
        &array.data,
        v => save!(v),
        bits => out.write_all(&bits[array.start..])?,
        none => match &array.data {
            Data::Converted(stored, v) => out.write_all(&v[array.start * stored.size()..])?,
            Data::Int64(v) => save!(v),
            _ => {}
        }
    );
    out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
}

/// Returns all bytes of an `.npy` file that precede the data, in version 1 of the format.
fn header_bytes(descr: &str, shape: &[usize]) -> io::Result<Vec<u8>> {
    let lengths: String = shape.iter().map(|n| format!("{n}, ")).collect();
    // A tuple of one element needs its comma in Python: `(3,)`.
    let lengths =
        if shape.len() == 1 { lengths.trim_end() } else { lengths.trim_end_matches(", ") };
    let text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({lengths}), }}");
    let before = MAGIC.len() + 4;
    let size = (before + text.len() + 1).next_multiple_of(ALIGNMENT) - before;
    let length = u16::try_from(size).map_err(io::Error::other)?;
    let mut bytes = [&MAGIC[..], &[1, 0], &length.to_le_bytes(), text.as_bytes()].concat();
    bytes.resize(before + size - 1, b' ');
    bytes.push(b'\n');
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_those_of_numpy() {
        for (shape, text) in [(&[][..], "()"), (&[3], "(3,)"), (&[2, 70_000, 5], "(2, 70000, 5)")] {
            let bytes = header_bytes("<f4", shape).expect("a short header");
            assert_eq!((bytes.len() % ALIGNMENT, bytes.last()), (0, Some(&b'\n')));
            let line = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {text}, }}");
            let (start, rest) = bytes.split_at(10);
            assert_eq!(
                start,
                [b"\x93NUMPY\x01\x00", &(rest.len() as u16).to_le_bytes()[..]].concat()
            );
            assert!(rest.starts_with(line.as_bytes()));
            assert_eq!(rest[line.len()..].trim_ascii(), b"");
            let read = header(&mut &bytes[..]).expect("what was written");
            assert!(
                read.shape.iter().eq(shape.iter().map(|n| *n as u64).collect::<Vec<_>>().iter())
            );
        }
    }
}
