//! `.npy` files: reading with every doubt voiced, writing whole files or none.

use super::array::{Array, Data};
use half::{bf16, f16};
use npyz::{DType as Held, Endianness, NpyFile, NpyHeader, Order, TypeChar, WriterBuilder};
use op_dsl_ir::DType;
use op_dsl_ir::bind::{MAX_RANK, elements};
use op_dsl_ir::op::Kind;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read};
use std::path::{Path, PathBuf};

/// Longest header read; those of plain arrays have about a hundred bytes.
const MAX_HEADER: usize = 1 << 16;
/// Deepest nesting of brackets in a header; those of plain arrays have two.
const MAX_NESTING: usize = 8;

/// Reads a file whose elements must have the type asked for; without one, f16 or f32. That of a mask holds
/// bool or uint8, that of counts of rows int64.
///
/// Files in Fortran order become views with the strides that they have.
pub fn read(path: &Path, kind: Kind, asked: Option<DType>) -> Result<Array, String> {
    if fs::metadata(path).map_err(plain)?.is_dir() {
        return Err("is a directory".into());
    }
    let mut file = BufReader::new(File::open(path).map_err(plain)?);
    let header = header(&mut file)?;
    let held = match kind {
        Kind::Whole | Kind::Gated => Elements::Numbers(dtype(&header.dtype(), asked)?),
        Kind::Mask => truth(&header.dtype())?,
        Kind::Rows => count(&header.dtype())?,
    };
    let shape: Option<Vec<usize>> = header.shape().iter().map(|&n| n.try_into().ok()).collect();
    let shape = shape.unwrap_or_default();
    if shape.len() != header.shape().len() || elements(&shape).is_none() {
        return Err(format!("the number of elements of shape {:?} overflows", header.shape()));
    }
    if shape.len() > MAX_RANK {
        return Err(format!("has rank {}; allowed: 0 to {MAX_RANK}", shape.len()));
    }
    let order = header.order();
    let data = match held {
        Elements::Numbers(DType::F16) => Data::F16(data::<f16, _, _>(header, &mut file, |v| v)?),
        Elements::Numbers(DType::BF16) => {
            Data::BF16(data::<u16, _, _>(header, &mut file, bf16::from_bits)?)
        }
        Elements::Numbers(DType::F32) => Data::F32(data::<f32, _, _>(header, &mut file, |v| v)?),
        Elements::Bools => Data::Bytes(data::<bool, _, _>(header, &mut file, u8::from)?),
        Elements::Bytes => Data::Bytes(data::<u8, _, _>(header, &mut file, |v| v)?),
        Elements::Counts => Data::Int64(data::<i64, _, _>(header, &mut file, |v| v)?),
    };
    if file.read(&mut [0]).map_err(plain)? != 0 {
        return Err("has more data than its header says".into());
    }
    let mut array = Array::dense(data, shape);
    if order == Order::Fortran {
        let reversed: Vec<usize> = array.shape.iter().rev().copied().collect();
        let dense = codegen_cpu::rt::view::contiguous_strides(&reversed);
        array.strides = dense[..reversed.len()].iter().rev().copied().collect();
    }
    Ok(array)
}

/// Parses the header. What the parser could stumble over is refused before it sees it.
fn header(file: &mut impl Read) -> Result<NpyHeader, String> {
    let not_npy = || String::from("is not an .npy file");
    let mut bytes = vec![0; 8];
    file.read_exact(&mut bytes).map_err(|_| not_npy())?;
    if &bytes[..6] != b"\x93NUMPY" {
        return Err(not_npy());
    }
    let width = if bytes[6] == 1 { 2 } else { 4 };
    let mut size = [0; 4];
    file.read_exact(&mut size[..width]).map_err(|_| not_npy())?;
    bytes.extend_from_slice(&size[..width]);
    let size = u32::from_le_bytes(size) as usize;
    if size > MAX_HEADER {
        return Err(format!("has a header of {size} bytes; allowed: {MAX_HEADER}"));
    }
    let start = bytes.len();
    bytes.resize(start + size, 0);
    file.read_exact(&mut bytes[start..]).map_err(|_| String::from("ends within its header"))?;
    if !is_plain(&bytes[start..]) {
        return Err("has a header that is not one of a plain array".into());
    }
    NpyHeader::from_reader(&bytes[..]).map_err(|e| format!("has a damaged header: {e}"))
}

/// Whether a header is ASCII without deep nesting, and its numbers, all of which belong to the
/// shape, have a product that can be counted.
fn is_plain(text: &[u8]) -> bool {
    let (mut depth, mut quote, mut product) = (0usize, None, 1u64);
    let mut i = 0;
    while let Some(&c) = text.get(i) {
        i += 1;
        match (quote, c) {
            _ if !c.is_ascii() => return false,
            (Some(_), b'\\') => return false,
            (Some(q), _) => quote = if c == q { None } else { quote },
            (None, b'\'' | b'"') => quote = Some(c),
            (None, b'(' | b'[' | b'{') => depth += 1,
            (None, b')' | b']' | b'}') => depth = depth.saturating_sub(1),
            (None, b'+' | b'-') => return false,
            (None, b'0'..=b'9') => {
                let start = i - 1;
                while text.get(i).is_some_and(u8::is_ascii_alphanumeric) {
                    i += 1;
                }
                let digits = std::str::from_utf8(&text[start..i]).unwrap_or_default();
                match digits.parse::<u64>().ok().and_then(|n| product.checked_mul(n.max(1))) {
                    Some(p) => product = p,
                    None => return false,
                }
            }
            _ => {}
        }
        if depth > MAX_NESTING {
            return false;
        }
    }
    true
}

/// What a file holds.
enum Elements {
    Numbers(DType),
    Bools,
    Bytes,
    Counts,
}

/// What the file of counts of rows holds, if it can be used.
fn count(held: &Held) -> Result<Elements, String> {
    match held {
        Held::Plain(ty) if (ty.type_char(), ty.size_field()) == (TypeChar::Int, 8) => {
            Ok(Elements::Counts)
        }
        Held::Plain(ty) => Err(format!("holds {ty}; allowed for counts of rows: int64")),
        _ => Err("holds records; allowed for counts of rows: int64".into()),
    }
}

/// What the file of a mask holds, if it can be used.
fn truth(held: &Held) -> Result<Elements, String> {
    let Held::Plain(ty) = held else {
        return Err("holds records; allowed for a mask: bool, uint8".into());
    };
    match (ty.type_char(), ty.size_field()) {
        (TypeChar::Bool, 1) => Ok(Elements::Bools),
        (TypeChar::Uint, 1) => Ok(Elements::Bytes),
        _ => Err(format!("holds {ty}; allowed for a mask: bool, uint8")),
    }
}

/// The element type of a file, if it can be used.
fn dtype(held: &Held, asked: Option<DType>) -> Result<DType, String> {
    let Held::Plain(ty) = held else {
        return Err("holds records; allowed: arrays of float16, float32 or, with --dtype bf16, \
                    uint16"
            .into());
    };
    let found = match (ty.type_char(), ty.size_field()) {
        _ if ty.endianness() == Endianness::Big => {
            return Err(format!(
                "holds big-endian {ty}; save it as little-endian: a.astype('<{}')",
                &ty.to_string()[1..]
            ));
        }
        (TypeChar::Float, 4) => DType::F32,
        (TypeChar::Float, 2) => DType::F16,
        (TypeChar::Uint, 2) => DType::BF16,
        (TypeChar::Float, 8) => {
            return Err("holds float64; convert it first: a.astype(numpy.float32)".into());
        }
        (TypeChar::RawData, 2) => {
            return Err("holds raw bytes; save bfloat16 as its bits: a.view(numpy.uint16)".into());
        }
        _ => {
            return Err(format!(
                "holds {ty}; allowed: float16, float32 or, with --dtype bf16, uint16"
            ));
        }
    };
    match (found, asked) {
        (DType::BF16, None) => {
            Err("holds uint16; if these are the bits of bfloat16, add --dtype bf16".into())
        }
        (_, Some(asked)) if asked != found => {
            let need = asked.row().numpy;
            let has = found.row().numpy;
            Err(format!("holds {has}, but --dtype {asked} needs {need}"))
        }
        _ => Ok(found),
    }
}

fn data<S: npyz::Deserialize, T, R: Read>(
    header: NpyHeader,
    file: R,
    element: impl Fn(S) -> T,
) -> Result<Vec<T>, String> {
    let count = header.len();
    let stored = NpyFile::with_header(header, file).data::<S>().map_err(|e| e.to_string())?;
    // Not reserved in advance: the header may promise what the file does not hold.
    let mut values = Vec::new();
    for value in stored {
        let value = value.map_err(|e| match e.kind() {
            io::ErrorKind::UnexpectedEof => {
                format!("is truncated: {} of {count} elements", values.len())
            }
            _ => plain(e),
        })?;
        values.push(element(value));
    }
    Ok(values)
}

/// The error without the number that the operating system gives it.
fn plain(e: io::Error) -> String {
    match e.kind() {
        io::ErrorKind::NotFound => "no such file or directory".into(),
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        _ => e.to_string(),
    }
}

/// A file written beside its final place; removed unless [`Pending::commit`] is reached.
pub struct Pending {
    target: PathBuf,
    beside: PathBuf,
    done: bool,
}

/// Where a file may be written: the file itself if there is one, through symbolic links.
pub fn target(path: &Path) -> Result<PathBuf, String> {
    match fs::metadata(path) {
        Ok(meta) if meta.is_dir() => Err("is a directory".into()),
        Ok(meta) if !meta.is_file() => Err("is not a regular file".into()),
        Ok(_) => fs::canonicalize(path).map_err(plain),
        Err(_) => {
            let name = path.file_name().ok_or("is not the name of a file")?;
            let parent = path.parent().filter(|p| !p.as_os_str().is_empty());
            let parent = parent.unwrap_or(Path::new("."));
            let parent = fs::canonicalize(parent)
                .map_err(|e| format!("directory {}: {}", parent.display(), plain(e)))?;
            Ok(parent.join(name))
        }
    }
}

/// Writes an array beside its final place.
pub fn write_beside(target: &Path, array: &Array) -> Result<Pending, String> {
    let name = target.file_name().ok_or("is not the name of a file")?;
    let mut beside = std::ffi::OsString::from(".");
    beside.push(name);
    beside.push(format!(".{}.part", std::process::id()));
    let beside = target.with_file_name(beside);
    let file = File::options().write(true).create_new(true).open(&beside).map_err(plain)?;
    let pending = Pending { target: target.into(), beside, done: false };
    write(file, array).map_err(plain)?;
    Ok(pending)
}

fn write(file: File, array: &Array) -> io::Result<()> {
    let mut out = BufWriter::new(file);
    let shape: Vec<u64> = array.shape.iter().map(|&n| n as u64).collect();
    macro_rules! save {
        ($values:expr) => {{
            let options = npyz::WriteOptions::new().default_dtype().shape(&shape);
            let mut writer = options.writer(&mut out).begin_nd()?;
            writer.extend($values)?;
            writer.finish()?;
        }};
    }
    match &array.data {
        Data::BF16(v) => save!(v[array.start..].iter().map(|v| v.to_bits())),
        Data::F16(v) => save!(v[array.start..].iter().copied()),
        Data::F32(v) => save!(v[array.start..].iter().copied()),
        Data::Bytes(v) | Data::Bits(v) => save!(v[array.start..].iter().copied()),
        Data::Int64(v) => save!(v[array.start..].iter().copied()),
        Data::Nothing => {} // no output is left out
    }
    out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
}

impl Pending {
    /// Puts the file in its place.
    pub fn commit(mut self) -> Result<(), String> {
        fs::rename(&self.beside, &self.target).map_err(plain)?;
        self.done = true;
        Ok(())
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if !self.done {
            // Already on the way out with an error; a stray `.part` file is the worst outcome.
            let _ = fs::remove_file(&self.beside);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_that_the_parser_must_not_see() {
        let plain = b"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }   \n";
        assert!(is_plain(plain));
        assert!(is_plain(b"{'descr': '<f8', 'fortran_order': True, 'shape': (), }"));
        let deep = [b'('; 1000];
        assert!(!is_plain(&deep));
        assert!(!is_plain(b"{'shape': (4294967296, 4294967296, 2)}"));
        assert!(!is_plain(b"{'shape': (0, 4294967296, 4294967296, 2)}"));
        assert!(!is_plain(b"{'shape': (-1,)}"));
        assert!(!is_plain(b"{'shape': (0xffffffffffffffff,)}"));
    }
}
