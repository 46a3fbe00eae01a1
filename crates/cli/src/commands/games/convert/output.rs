//! Where converted games go.

use super::super::sources::Source;
use anyhow::{Context as _, bail};
use atomic_write_file::AtomicWriteFile;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Standard output, one file for all sources, or one for each.
pub(super) struct Output {
    destination: Destination,
    /// Is something in it?
    has_begun: bool,
}

enum Destination {
    Standard,
    /// A file that appears whole, at the end.
    File(PathBuf, AtomicWriteFile),
    /// What is no file but has a name, such as a pipe.
    Device(PathBuf, File),
    /// A file for each source, which appears whole.
    Files(Vec<PathBuf>),
}

impl Output {
    /// Opens what is asked for; a path is a folder if there is one or it ends in `/`. No source is overwritten.
    pub(super) fn open(path: Option<&Path>, sources: &[Source], ending: &str) -> anyhow::Result<Self> {
        let destination =
            path.map_or(Ok(Destination::Standard), |path| Destination::open(path, sources, ending));
        Ok(Self { destination: destination?, has_begun: false })
    }

    /// Will the next source begin a file?
    pub(super) const fn is_at_beginning(&self) -> bool {
        !self.has_begun || matches!(self.destination, Destination::Files(_))
    }

    /// Writes the games of a source, by its number; false if the reader has gone away.
    pub(super) fn write(&mut self, source: usize, text: &str) -> anyhow::Result<bool> {
        self.has_begun = true;
        let bytes = text.as_bytes();
        match &mut self.destination {
            Destination::Standard => match io::stdout().write_all(bytes) {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(false),
                other => other.context("cannot write to standard output")?,
            },
            Destination::File(path, file) => file.write_all(bytes).with_context(|| cannot_write(path))?,
            Destination::Device(path, file) => file.write_all(bytes).with_context(|| cannot_write(path))?,
            Destination::Files(paths) => {
                write_file(&paths[source], bytes).with_context(|| cannot_write(&paths[source]))?;
            }
        }
        Ok(true)
    }

    /// Ends the file.
    pub(super) fn finish(self) -> anyhow::Result<()> {
        match self.destination {
            Destination::File(path, file) => file.commit().with_context(|| cannot_write(&path)),
            Destination::Standard | Destination::Device(..) | Destination::Files(_) => Ok(()),
        }
    }
}

impl Destination {
    fn open(path: &Path, sources: &[Source], ending: &str) -> anyhow::Result<Self> {
        if path.is_dir() || path.as_os_str().to_string_lossy().ends_with('/') {
            let paths = names(path, sources, ending);
            paths.iter().try_for_each(|path| refuse_source(path, sources))?;
            return Ok(Self::Files(paths));
        }
        refuse_source(path, sources)?;
        let cannot = || cannot_write(path);
        if path.exists() && !path.is_file() {
            let file = File::options().write(true).open(path).with_context(cannot)?;
            return Ok(Self::Device(path.to_owned(), file));
        }
        Ok(Self::File(path.to_owned(), AtomicWriteFile::open(path).with_context(cannot)?))
    }
}

fn cannot_write(path: &Path) -> String {
    format!("cannot write {}", path.display())
}

fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = AtomicWriteFile::open(path)?;
    file.write_all(bytes)?;
    file.commit()
}

/// A path in `folder` for each source: its own, with another ending; `game.xqf` beside `game.pgn` becomes
/// `game.xqf.pgn`.
fn names(folder: &Path, sources: &[Source], ending: &str) -> Vec<PathBuf> {
    let mut taken = BTreeSet::new();
    let mut name = |source: &Source| {
        let mut name = source.below.with_extension(ending);
        let mut longer = source.below.clone().into_os_string();
        while !taken.insert(name.clone()) {
            longer.push(".");
            longer.push(ending);
            name = PathBuf::from(longer.clone());
        }
        folder.join(name)
    };
    sources.iter().map(&mut name).collect()
}

fn refuse_source(path: &Path, sources: &[Source]) -> anyhow::Result<()> {
    // What doesn't exist is no source.
    let Ok(real) = path.canonicalize() else { return Ok(()) };
    if sources.iter().any(|source| source.path.canonicalize().is_ok_and(|source| source == real)) {
        bail!("{} is one of the inputs; want another output", path.display());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::super::sources::Kind;
    use super::*;

    #[test]
    fn no_two_sources_share_a_name() {
        let source = |below: &str| Source { path: below.into(), below: below.into(), kind: Kind::Records };
        let sources = ["a.cbl", "a.pgn", "a.xqf", "b/a.pgn", "a.pgn"].map(source);
        let names = names(Path::new("to"), &sources, "pgn");
        let want = ["to/a.pgn", "to/a.pgn.pgn", "to/a.xqf.pgn", "to/b/a.pgn", "to/a.pgn.pgn.pgn"];
        assert_eq!(names, want.map(PathBuf::from));
    }
}
