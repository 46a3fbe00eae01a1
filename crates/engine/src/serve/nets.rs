//! Which net plays, and where it is found.

use net::Network;
use std::fmt;
use std::path::{Path, PathBuf};

/// Opens a net that was named: what it is called, and the net or what is wrong with it.
pub type OpenNet = Box<dyn Fn() -> Result<(String, Network), String> + Send>;

/// Opens a net's file, or says what is wrong with it.
pub type OpenFile = fn(&Path) -> Result<Network, String>;

/// Where a net may come from.
///
/// The option `EvalFile` comes first, then [`Nets::given`], then what lies in [`Nets::folders`]: the first file by name
/// that ends in `.meihua`, else in `.safetensors`; at last [`Nets::built_in`].
pub struct Nets {
    /// Opens files: [`open_sparse`], or more than sparse networks where there is libtorch.
    pub open_file: OpenFile,
    /// Opens what the command line names, when it is needed.
    pub given: Option<OpenNet>,
    /// Folders to look in, such as the program's own. Relative paths in `EvalFile` are looked for here first.
    pub folders: Vec<PathBuf>,
    /// The content of a net file that is part of the program.
    pub built_in: Option<&'static [u8]>,
}

/// The file of a sparse network.
pub fn open_sparse(path: &Path) -> Result<Network, String> {
    net::open(path).map_err(|error| error.to_string())
}

impl Default for Nets {
    fn default() -> Self {
        Self { open_file: open_sparse, given: None, folders: Vec::new(), built_in: None }
    }
}

impl fmt::Debug for Nets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { open_file: _, given, folders, built_in } = self;
        let (given, built_in) = (given.is_some(), built_in.is_some());
        f.debug_struct("Nets")
            .field("given", &given)
            .field("folders", folders)
            .field("built_in", &built_in)
            .finish_non_exhaustive()
    }
}

/// Endings of nets' files, the one that is preferred first.
const ENDINGS: [&str; 2] = ["meihua", "safetensors"];

impl Nets {
    /// Opens the net that is to play, and says what it is called. `chosen` is the option `EvalFile`.
    pub(super) fn open(&self, chosen: Option<&str>) -> Result<(String, Network), String> {
        if let Some(path) = chosen {
            return self.named(&self.place(path));
        }
        if let Some(open) = &self.given {
            return open();
        }
        if let Some(path) = self.folders.iter().find_map(|folder| net_in(folder)) {
            return self.named(&path);
        }
        let Some(bytes) = self.built_in else {
            let want = "set the option EvalFile, or put a .meihua file in the folder of the program";
            return Err(format!("no net was found: {want}"));
        };
        let network = Network::from_bytes(bytes).map_err(|fault| format!("built-in net: {fault}"))?;
        Ok(("the built-in net".to_owned(), network))
    }

    /// Opens a net's file, and calls it by its path.
    fn named(&self, path: &Path) -> Result<(String, Network), String> {
        Ok((path.display().to_string(), (self.open_file)(path)?))
    }

    /// Where a path of the user's leads: a relative one begins in one of the folders, or where the program was started.
    fn place(&self, path: &str) -> PathBuf {
        let beside = self.folders.iter().map(|folder| folder.join(path)).find(|path| path.exists());
        beside.unwrap_or_else(|| path.into())
    }
}

/// The net in a folder, if there is one.
fn net_in(folder: &Path) -> Option<PathBuf> {
    let files: Vec<PathBuf> = folder.read_dir().ok()?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    ENDINGS.iter().find_map(|ending| {
        let ends_so =
            |path: &&PathBuf| path.extension().is_some_and(|found| found == *ending) && path.is_file();
        files.iter().filter(ends_so).min().cloned()
    })
}
