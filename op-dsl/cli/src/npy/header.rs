//! Parser of `.npy` headers: one line, a Python literal with three entries.
//!
//! It accepts only what numpy writes for plain arrays and records, so that no expression parser is needed.

use std::fmt;

/// Maximum nesting of brackets in a header; those of plain arrays have two levels.
const MAX_NESTING: usize = 8;

/// Element type as numpy spells it: `<f4` is little-endian `f`, four bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeString(String);

impl TypeString {
    /// Returns numpy's kind letter and the number of bytes; `None` for types that have a unit (`<M8[ns]`).
    pub fn kind_and_size(&self) -> Option<(char, usize)> {
        let mut letters = self.0.chars();
        let (_, kind) = (letters.next()?, letters.next()?);
        Some((kind, letters.as_str().parse().ok()?))
    }

    pub fn is_big_endian(&self) -> bool {
        self.0.starts_with('>')
    }

    /// Returns the type's name without the first character, which is the byte order.
    pub fn unordered(&self) -> &str {
        self.0.get(1..).unwrap_or_default()
    }
}

impl fmt::Display for TypeString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Contents of an `.npy` header.
#[derive(Debug, PartialEq, Eq)]
pub struct Header {
    /// Element type; `None` where elements are records.
    pub descr: Option<TypeString>,
    pub fortran_order: bool,
    pub shape: Vec<u64>,
}

/// Parses a header, without the magic string, version and length that precede it.
///
/// # Errors
/// The text is not ASCII, is nested deeply, has numbers too large for a shape, or is not a header.
pub fn parse(text: &[u8]) -> Result<Header, String> {
    if !is_plain(text) {
        return Err("has a header that is not one of a plain array".into());
    }
    let mut reader = Reader { rest: text };
    reader.header().map_err(|what| format!("has a damaged header: {what}"))
}

/// Returns whether a header is ASCII without deep nesting and its shape is not too large.
///
/// All numbers in the header belong to the shape, and their product must fit into an integer.
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

/// Parser of a header, with the part of the text that it has not read yet.
struct Reader<'t> {
    rest: &'t [u8],
}

impl Reader<'_> {
    fn header(&mut self) -> Result<Header, String> {
        let (mut descr, mut fortran_order, mut shape) = (None, None, None);
        self.expect(b'{')?;
        while !self.takes(b'}') {
            let key = self.string()?;
            self.expect(b':')?;
            let again = match &*key {
                "descr" => descr.replace(self.descr()?).is_some(),
                "fortran_order" => fortran_order.replace(self.boolean()?).is_some(),
                "shape" => shape.replace(self.tuple()?).is_some(),
                _ => return Err(format!("unknown entry '{key}'")),
            };
            if again {
                return Err(format!("two entries '{key}'"));
            }
            if !self.takes(b',') {
                self.expect(b'}')?;
                break;
            }
        }
        self.skip_blanks();
        if !self.rest.is_empty() {
            return Err("text after its literal".into());
        }
        let missing = |key: &str| format!("no entry '{key}'");
        Ok(Header {
            descr: descr.ok_or_else(|| missing("descr"))?,
            fortran_order: fortran_order.ok_or_else(|| missing("fortran_order"))?,
            shape: shape.ok_or_else(|| missing("shape"))?,
        })
    }

    /// Parses the element type: a type string, or `None` for the list of fields of a record.
    ///
    /// The contents of the list do not matter, because records are refused.
    fn descr(&mut self) -> Result<Option<TypeString>, String> {
        if !self.takes(b'[') {
            let text = self.string()?;
            let is_type = text.len() > 2 && text.starts_with(['<', '>', '|', '=']);
            return if is_type {
                Ok(Some(TypeString(text)))
            } else {
                Err(format!("'{text}' is no element type"))
            };
        }
        let mut depth = 1usize;
        while depth > 0 {
            match self.next() {
                Some(b'\'' | b'"') => _ = self.string()?,
                Some(c) => {
                    self.rest = &self.rest[1..];
                    depth += usize::from(b"([".contains(&c));
                    depth -= usize::from(b")]".contains(&c));
                }
                None => return Err("a list does not end".into()),
            }
        }
        Ok(None)
    }

    fn boolean(&mut self) -> Result<bool, String> {
        let (is_true, is_false) = (self.takes_word(b"True"), self.takes_word(b"False"));
        if is_true || is_false { Ok(is_true) } else { Err(self.expected("True or False")) }
    }

    fn tuple(&mut self) -> Result<Vec<u64>, String> {
        let mut numbers = Vec::new();
        self.expect(b'(')?;
        while !self.takes(b')') {
            numbers.push(self.number()?);
            if !self.takes(b',') {
                self.expect(b')')?;
                break;
            }
        }
        Ok(numbers)
    }

    fn number(&mut self) -> Result<u64, String> {
        self.skip_blanks();
        let end = self.rest.iter().position(|c| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        let number = std::str::from_utf8(digits).ok().and_then(|text| text.parse().ok());
        let number = number.ok_or_else(|| self.expected("a number"))?;
        self.rest = rest;
        Ok(number)
    }

    /// Parses a string in single or double quotes; [`is_plain`] has refused any with escapes.
    fn string(&mut self) -> Result<String, String> {
        let quote = self.next().filter(|c| b"'\"".contains(c));
        let quote = quote.ok_or_else(|| self.expected("a string"))?;
        let text = &self.rest[1..];
        let end = text.iter().position(|c| *c == quote).ok_or("a string does not end")?;
        self.rest = &text[end + 1..];
        Ok(text[..end].iter().copied().map(char::from).collect())
    }

    fn takes_word(&mut self, word: &[u8]) -> bool {
        self.skip_blanks();
        let rest = self.rest.strip_prefix(word);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn takes(&mut self, c: u8) -> bool {
        self.takes_word(&[c])
    }

    fn expect(&mut self, c: u8) -> Result<(), String> {
        if self.takes(c) { Ok(()) } else { Err(self.expected(&format!("`{}`", char::from(c)))) }
    }

    fn next(&mut self) -> Option<u8> {
        self.skip_blanks();
        self.rest.first().copied()
    }

    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_ascii_start();
    }

    fn expected(&self, what: &str) -> String {
        match self.rest.first() {
            Some(c) => format!("{what} expected, and here is `{}`", char::from(*c)),
            None => format!("{what} expected, and it ends"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(descr: &str, fortran_order: bool, shape: &[u64]) -> Result<Header, String> {
        let descr = Some(TypeString(descr.into()));
        Ok(Header { descr, fortran_order, shape: shape.to_vec() })
    }

    #[test]
    fn what_numpy_writes() {
        let text = b"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }   \n";
        assert_eq!(parse(text), plain("<f4", false, &[3, 4]));
        let text = b"{'descr': '|u1', 'fortran_order': True, 'shape': (), }";
        assert_eq!(parse(text), plain("|u1", true, &[]));
        let text = b"{\"shape\":(7,),\"fortran_order\":False,\"descr\":\">i8\"}";
        assert_eq!(parse(text), plain(">i8", false, &[7]));
        let text =
            b"{'descr': [('a', '<f4'), ('b', '<i4', (2,))], 'fortran_order': False, 'shape': (2,)}";
        assert_eq!(parse(text), Ok(Header { descr: None, fortran_order: false, shape: vec![2] }));
    }

    #[test]
    fn type_strings_give_kind_and_size() {
        let of = |text: &str| TypeString(text.into()).kind_and_size();
        assert_eq!(
            (of("<f4"), of("|b1"), of(">U12")),
            (Some(('f', 4)), Some(('b', 1)), Some(('U', 12)))
        );
        assert_eq!((of("<M8[ns]"), of("<"), of("")), (None, None, None));
    }

    #[test]
    fn what_is_damaged() {
        for (text, why) in [
            ("", "`{` expected, and it ends"),
            ("{'descr': '<f4', 'shape': (3,)}", "no entry 'fortran_order'"),
            ("{'descr': '<f4', 'descr': '<f4'}", "two entries 'descr'"),
            ("{'descr': 'f', 'fortran_order': False, 'shape': ()}", "'f' is no element type"),
            ("{'descr': '<f4' 'shape': (3,)}", "`}` expected, and here is `'`"),
            ("{'descr': '<f4', 'fortran_order': 0, 'shape': ()}", "True or False expected"),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (a)}", "a number expected"),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (3}", "`)` expected"),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': ()} 1", "text after its literal"),
            ("{'descr': [('a', '<f4'", "a list does not end"),
            ("{'descr", "a string does not end"),
            ("{'order': 1}", "unknown entry 'order'"),
        ] {
            let found = parse(text.as_bytes()).expect_err(text);
            assert!(found.starts_with("has a damaged header: ") && found.contains(why), "{found}");
        }
    }

    /// Damaged headers are parsed or refused without a panic.
    ///
    /// A damaged header differs from a good one by a removed, added or changed byte.
    #[test]
    fn no_header_panics() {
        let good = b"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }";
        for at in 0..good.len() {
            let _ = parse(&good[..at]);
            for c in 0..=u8::MAX {
                let mut other = good.to_vec();
                other[at] = c;
                let _ = parse(&other);
                other.insert(at, c);
                let _ = parse(&other);
            }
        }
    }

    #[test]
    fn what_is_not_plain() {
        assert!(is_plain(b"{'descr': '<f8', 'fortran_order': True, 'shape': (), }"));
        let deep = [b'('; 1000];
        assert!(!is_plain(&deep));
        assert!(!is_plain(b"{'shape': (4294967296, 4294967296, 2)}"));
        assert!(!is_plain(b"{'shape': (0, 4294967296, 4294967296, 2)}"));
        assert!(!is_plain(b"{'shape': (-1,)}"));
        assert!(!is_plain(b"{'shape': (0xffffffffffffffff,)}"));
    }
}
