//! Reads the two tables of `src/legacy`: the structures of `layout.tsv` and the enumerations of
//! `enumerations.tsv`. Both are checked while they are read, so that the emitters can rely on them.

/// A type that is no structure: its C name, its Rust name and its size in bytes.
pub struct Scalar {
    pub c: &'static str,
    pub rust: &'static str,
    pub size: usize,
}

const SCALARS: [Scalar; 9] = [
    Scalar { c: "char", rust: "c_char", size: 1 },
    Scalar { c: "unsigned char", rust: "c_uchar", size: 1 },
    Scalar { c: "short", rust: "c_short", size: 2 },
    Scalar { c: "int", rust: "c_int", size: 4 },
    Scalar { c: "unsigned int", rust: "c_uint", size: 4 },
    Scalar { c: "double", rust: "c_double", size: 8 },
    Scalar { c: "size_t", rust: "usize", size: 8 },
    Scalar { c: "time_t", rust: "c_long", size: 8 },
    Scalar { c: "void", rust: "c_void", size: 1 },
];

const POINTER_SIZE: usize = 8;
const ENUMERATION_SIZE: usize = 4;

/// The host builds in which something exists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Build {
    Both,
    Serial,
    Mpi,
}

impl Build {
    /// Whether it exists in an MPI build (`mpi`) or in a serial one.
    pub fn includes(self, mpi: bool) -> bool {
        match self {
            Build::Both => true,
            Build::Serial => !mpi,
            Build::Mpi => mpi,
        }
    }
}

/// A number for the serial and for the MPI build; `None` where there is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PerBuild {
    pub serial: Option<usize>,
    pub mpi: Option<usize>,
}

impl PerBuild {
    pub fn of(self, mpi: bool) -> Option<usize> {
        if mpi { self.mpi } else { self.serial }
    }
}

/// `base *…* name [length]`
#[derive(PartialEq, Eq, Debug)]
pub struct Declaration {
    pub base: String,
    pub pointers: usize,
    pub name: String,
    pub length: Option<usize>,
}

pub struct Field {
    pub declaration: Declaration,
    pub build: Build,
    pub offset: PerBuild,
    pub size: usize,
    pub comment: String,
}

/// Where a host built with OpenMP has a lock that this library knows nothing of: before field `before`.
pub struct Lock {
    pub before: usize,
    pub comment: String,
}

pub struct Structure {
    pub tag: String,
    pub typedef: String,
    /// The macro under which the host's headers guard the typedef.
    pub guard: Option<String>,
    /// `None` for a structure of which only the name is known.
    pub size: Option<PerBuild>,
    pub comment: String,
    pub fields: Vec<Field>,
    pub lock: Option<Lock>,
}

pub struct Enumerator {
    pub name: String,
    /// The value in the form of the table, decimal or hexadecimal.
    pub value: String,
    pub comment: String,
}

pub struct Enumeration {
    pub tag: String,
    pub typedef: Option<String>,
    pub build: Build,
    pub comment: String,
    pub enumerators: Vec<Enumerator>,
}

/// The kind of the base type of a declaration.
pub enum Base<'a> {
    Scalar(&'static Scalar),
    Enumeration(&'a Enumeration),
    Structure(&'a Structure),
    /// A type of the host of which nothing is known.
    Foreign,
}

pub struct Table {
    pub structures: Vec<Structure>,
    pub enumerations: Vec<Enumeration>,
}

impl Table {
    /// Parses the texts of the two tables. An error names the file and the line.
    pub fn parse(layout: &str, enumerations: &str) -> Result<Table, String> {
        let mut table = Table { structures: Vec::new(), enumerations: Vec::new() };
        for_each_row("enumerations.tsv", enumerations, |row| table.add_enumeration_row(row))?;
        for_each_row("layout.tsv", layout, |row| table.add_structure_row(row))?;
        for structure in &table.structures {
            for field in &structure.fields {
                table.check_size(field).map_err(|error| {
                    format!("layout.tsv: {}.{}: {error}", structure.typedef, field.declaration.name)
                })?;
            }
        }
        Ok(table)
    }

    pub fn structure(&self, typedef: &str) -> Option<&Structure> {
        self.structures.iter().find(|structure| structure.typedef == typedef)
    }

    /// Looks a declaration's base type up.
    pub fn base(&self, declaration: &Declaration) -> Base<'_> {
        let name = declaration.base.as_str();
        if let Some(scalar) = SCALARS.iter().find(|scalar| scalar.c == name) {
            return Base::Scalar(scalar);
        }
        let names_it = |enumeration: &&Enumeration| match name.strip_prefix("enum ") {
            Some(tag) => enumeration.tag == tag,
            None => enumeration.typedef.as_deref() == Some(name),
        };
        if let Some(enumeration) = self.enumerations.iter().find(names_it) {
            return Base::Enumeration(enumeration);
        }
        self.structure(name).map_or(Base::Foreign, Base::Structure)
    }

    fn add_structure_row(&mut self, row: [&str; 8]) -> Result<(), String> {
        let [tag, typedef, build, declaration, serial, mpi, size, comment] = row;
        let offset = PerBuild { serial: number_or_dash(serial)?, mpi: number_or_dash(mpi)? };
        if let Some(head) = structure_head(declaration) {
            if self.structure(typedef).is_some() {
                return Err(format!("second structure {typedef}"));
            }
            let (opaque, guard) = head?;
            self.structures.push(Structure {
                tag: tag.into(),
                typedef: typedef.into(),
                guard,
                size: (!opaque).then_some(offset),
                comment: comment.into(),
                fields: Vec::new(),
                lock: None,
            });
            return Ok(());
        }
        let structure = self
            .structures
            .last_mut()
            .filter(|structure| structure.tag == tag && structure.typedef == typedef)
            .ok_or_else(|| format!("a field of {tag} ({typedef}) outside its structure"))?;
        if build == "openmp" {
            structure.lock = Some(Lock { before: structure.fields.len(), comment: comment.into() });
            return Ok(());
        }
        let build = parse_build(build)?;
        if [false, true].iter().any(|&mpi| build.includes(mpi) != offset.of(mpi).is_some()) {
            return Err("the offsets do not go with the build".into());
        }
        let declaration = parse_declaration(declaration)?;
        let size = number(size)?;
        for mpi in [false, true] {
            check_room(structure, offset.of(mpi), size, mpi)?;
        }
        structure.fields.push(Field { declaration, build, offset, size, comment: comment.into() });
        Ok(())
    }

    fn add_enumeration_row(&mut self, row: [&str; 6]) -> Result<(), String> {
        let [tag, typedef, build, name, value, comment] = row;
        if name == "enum" {
            self.enumerations.push(Enumeration {
                tag: tag.into(),
                typedef: (typedef != "-").then(|| typedef.into()),
                build: parse_build(build)?,
                comment: comment.into(),
                enumerators: Vec::new(),
            });
            return Ok(());
        }
        let digits = value.strip_prefix("0x");
        if digits.map_or_else(|| value.parse(), |hex| i32::from_str_radix(hex, 16)).is_err() {
            return Err(format!("`{value}` is no value of an enumerator"));
        }
        if self.enumerations.iter().any(|known| known.enumerators.iter().any(|e| e.name == name)) {
            return Err(format!("second enumerator {name}"));
        }
        let enumeration = self
            .enumerations
            .last_mut()
            .filter(|enumeration| enumeration.tag == tag)
            .ok_or_else(|| format!("an enumerator of {tag} outside its enumeration"))?;
        enumeration.enumerators.push(Enumerator {
            name: name.into(),
            value: value.into(),
            comment: comment.into(),
        });
        Ok(())
    }

    /// The size column must be what the declaration says, as far as its base type is known.
    fn check_size(&self, field: &Field) -> Result<(), String> {
        let one = match self.base(&field.declaration) {
            _ if field.declaration.pointers > 0 => POINTER_SIZE,
            Base::Scalar(scalar) => scalar.size,
            Base::Enumeration(_) => ENUMERATION_SIZE,
            Base::Structure(Structure { size: Some(PerBuild { serial: Some(size), mpi }), .. })
                if *mpi == Some(*size) =>
            {
                *size
            }
            Base::Structure(inner) => return Err(format!("{} cannot be held by value", inner.typedef)),
            Base::Foreign => return Ok(()),
        };
        let size = one * field.declaration.length.unwrap_or(1);
        if size == field.size {
            Ok(())
        } else {
            Err(format!("size {} in the table, {size} by its declaration", field.size))
        }
    }
}

/// A field must begin where the one before it ends, or after, and end inside its structure.
fn check_room(structure: &Structure, offset: Option<usize>, size: usize, mpi: bool) -> Result<(), String> {
    let Some(offset) = offset else { return Ok(()) };
    let previous_end =
        structure.fields.iter().rev().find_map(|field| Some(field.offset.of(mpi)? + field.size));
    if offset < previous_end.unwrap_or(0) {
        return Err(format!("offset {offset} lies in the field before"));
    }
    match structure.size.and_then(|size| size.of(mpi)) {
        Some(whole) if offset + size <= whole => Ok(()),
        _ => Err(format!("offset {offset} lies outside {}", structure.typedef)),
    }
}

/// Calls `add` with the columns of each line that is neither empty nor a comment.
fn for_each_row<const COLUMNS: usize>(
    file: &str,
    text: &str,
    mut add: impl FnMut([&str; COLUMNS]) -> Result<(), String>,
) -> Result<(), String> {
    for (index, line) in text.lines().enumerate() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let columns: Vec<&str> = line.split('\t').collect();
        let found = columns.len();
        <[&str; COLUMNS]>::try_from(columns)
            .map_err(|_| format!("{found} columns, {COLUMNS} expected"))
            .and_then(|row| match row.iter().position(|column| column.is_empty()) {
                Some(empty) => Err(format!("column {} is empty", empty + 1)),
                None => add(row),
            })
            .map_err(|error| format!("{file}: line {}: {error}", index + 1))?;
    }
    Ok(())
}

/// `struct` or `opaque`, perhaps with ` guard NAME`: whether it is opaque, and the guard. `None` for a field.
fn structure_head(text: &str) -> Option<Result<(bool, Option<String>), String>> {
    let words: Vec<&str> = text.split(' ').collect();
    let opaque = words[0] == "opaque";
    match words[1..] {
        [] if opaque || text == "struct" => Some(Ok((opaque, None))),
        ["guard", guard] => Some(Ok((opaque, Some(guard.into())))),
        _ if opaque => Some(Err(format!("`{text}` is no structure"))),
        _ => None,
    }
}

fn parse_build(text: &str) -> Result<Build, String> {
    match text {
        "both" => Ok(Build::Both),
        "serial" => Ok(Build::Serial),
        "mpi" => Ok(Build::Mpi),
        _ => Err(format!("`{text}` is no build")),
    }
}

fn number(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| format!("`{text}` is no number"))
}

fn number_or_dash(text: &str) -> Result<Option<usize>, String> {
    if text == "-" { Ok(None) } else { number(text).map(Some) }
}

fn parse_declaration(text: &str) -> Result<Declaration, String> {
    let error = || format!("`{text}` is no declaration");
    let (rest, length) = match text.strip_suffix(']') {
        Some(array) => {
            let (rest, length) = array.split_once('[').ok_or_else(error)?;
            (rest, Some(number(length)?))
        }
        None => (text, None),
    };
    let (base, name) = rest.rsplit_once(' ').ok_or_else(error)?;
    let pointers = name.bytes().take_while(|&byte| byte == b'*').count();
    let name = &name[pointers..];
    let is_word = |word: &str| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    if !is_word(name) || !base.split(' ').all(is_word) {
        return Err(error());
    }
    Ok(Declaration { base: base.into(), pointers, name: name.into(), length })
}
