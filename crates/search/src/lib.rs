//! Tree search: from a game and an evaluator's answers to visit counts, a better policy and a move.
//!
//! Plain data: the search never evaluates, waits or does I/O. [`Search::gather`] walks to a leaf and hands out its
//! position as a [`Query`](evaluator::Query), [`Search::apply`] takes the answer and goes on with it. Who evaluates,
//! alone or in batches of many games, is the driver's business; [`run`] is the simplest driver. Where values are cheap,
//! [`Search::ask_values_first`] leaves the moves of leaves alone until a walk goes on from there.
//!
//! Two ways to spend simulations at the root: [`Root::Gumbel`] (few simulations, self-play) and [`Root::Puct`]
//! (many, and the tree is kept from move to move). Below the root both use PUCT. Ends of the game are
//! [`Proven`] and backed up as such.
//!
//! For play there is [`PlayTree`]: PUCT at the root, kept from move to move, on which several threads can work at a
//! time, each with its own [`Walk`].
//!
//! Inside the tree values are win − loss from the point of view of the node's mover. What [`Report`] says is from
//! the root mover's.
//!
//! ```
//! use evaluator::Uniform;
//! use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};
//! use rules::{Game, Position, Rules};
//! use search::{Proven, Root, Search, Settings};
//!
//! // A rook cuts the general off, the other mates on the back rank.
//! let position: Position = "5k3/R8/7R1/9/9/9/p8/9/9/3K5 w".parse()?;
//! let mut search = Search::new(Settings::default());
//! let mut rng = ChaCha8Rng::seed_from_u64(1);
//! search.start(&Game::new(position, Rules::default()), Root::Puct, 1000, &mut rng);
//! search::run(&mut search, &mut Uniform)?;
//!
//! let report = search.report();
//! assert_eq!(report.decision.best.to_string(), "h7h9");
//! assert_eq!(report.decision.proven, Some(Proven::Win { plies: 1 }));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod driver;
mod gumbel;
mod noise;
mod play;
mod proven;
mod puct;
mod report;
mod search;
mod settings;
mod tree;

pub use driver::run;
pub use gumbel::considered_moves;
pub use play::{Descent, Line, OutOfMemory, PlayTree, Walk};
pub use proven::Proven;
pub use report::{Decision, Report, RootMove};
pub use search::{Root, Search};
pub use settings::{Settings, SettingsError};
pub use tree::TreeSize;
