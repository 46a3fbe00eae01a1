//! What is wrong with a setting.

/// A setting outside its range. The message begins with the key.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum SettingsError {
    /// One of this crate's own.
    #[error("{key} = {value}: want {allowed}")]
    OutOfRange {
        /// The key, with the sections below the one that was checked: `sprt.alpha`.
        key: &'static str,
        /// What it is set to.
        value: String,
        /// What it may be set to.
        allowed: &'static str,
    },
    /// One of the search's.
    #[error("search.{0}")]
    Search(search::SettingsError),
}

impl SettingsError {
    /// An error unless the value is fine.
    pub(crate) fn unless(
        fine: bool,
        key: &'static str,
        value: impl std::fmt::Display,
        allowed: &'static str,
    ) -> Result<(), Self> {
        if fine { Ok(()) } else { Err(Self::OutOfRange { key, value: value.to_string(), allowed }) }
    }
}
