//! From root to root: what is kept as the game goes on, which moves are allowed, what a draw is worth.

use super::head::Head;
use super::pools::Room;
use super::{PlayTree, pools};
use crate::proven::Proven;
use crate::tree::Family as _;
use rules::{Colour, Game, Move, Ply, Position};

impl PlayTree {
    /// Makes the end of a game the root and says how many moves are allowed there. What is known is kept if the game
    /// goes on from the present root, by the same rules; else the tree is emptied. A game that is told only from a
    /// capture on, which is at most two plies after the present root, goes on too.
    ///
    /// `only`: no other moves are allowed at the root. Of these, what isn't legal or is refused as a repetition doesn't
    /// count. Without an allowed move there is nothing to walk; otherwise a game that is over is searched as if it went
    /// on. New walkers are wanted, and no walk may be under way.
    pub fn set_root(&mut self, game: &Game, only: Option<&[Move]>) -> usize {
        let permitted = game.permitted_moves();
        let kept = self.find(game);
        self.game.clone_from(game);
        self.roots += 1;
        self.only = only.map(|only| permitted.iter().copied().filter(|mv| only.contains(mv)).collect());
        // Where a move that isn't allowed now has proven a result, nothing would be left to search.
        match kept.filter(|&root| only.is_none() || self.pools.get(root).proven.is_none()) {
            Some(root) => self.root = root,
            None => self.clear(),
        }
        self.reckon_draw();
        self.pools.lock(self.root).bring_likeliest_forward(|mv| self.may(mv));
        self.result = pools::proven_bits(self.prove_root()).into();
        self.only.as_ref().map_or(permitted.len(), Vec::len)
    }

    pub(super) fn prove_root(&self) -> Option<Proven> {
        match &self.only {
            None => self.pools.get(self.root).proven,
            Some(only) => self.pools.prove_with(self.root, |mv| only.contains(&mv)),
        }
    }

    /// What a draw is worth to the root's mover.
    pub(super) fn draw_for_root(&self) -> f32 {
        match self.game.position().turn() {
            Colour::Red => self.draw_for_red,
            Colour::Black => -self.draw_for_red,
        }
    }

    /// Reckons the heads anew if a draw is worth something else now.
    pub(super) fn reckon_draw(&mut self) {
        let before = std::mem::replace(
            &mut self.draw_for_red,
            match self.game.position().turn() {
                Colour::Red => -self.contempt,
                Colour::Black => self.contempt,
            },
        );
        if before.to_bits() != self.draw_for_red.to_bits() {
            let draw = self.draw_for_root();
            self.reckon_heads(draw);
        }
    }

    /// Reckons all heads from nothing, given what a draw is worth to the root's mover.
    pub(super) fn reckon_heads(&mut self, draw: f32) {
        self.pools.clear_heads();
        let mut room = Room::default();
        let mut level: Vec<u32> = if self.pools.is_empty() { Vec::new() } else { vec![self.root] };
        let mut draw = -draw; // the children's movers'
        while !level.is_empty() {
            let mut next = Vec::new();
            for index in level {
                let node = self.pools.get(index);
                for (slot, child) in self.pools.opened_edges(node).filter_map(|edge| edge.child).enumerate() {
                    let head = Head::of(&self.pools.get(child.get()), draw);
                    self.pools.lock(index).push_head(slot, head, &mut room);
                    next.push(child.get());
                }
            }
            (level, draw) = (next, -draw);
        }
    }

    /// The node where a game ends that goes on from the present root.
    pub(super) fn find(&self, game: &Game) -> Option<u32> {
        let (ours, theirs) = (&self.game, game);
        if self.pools.is_empty() || ours.rules() != theirs.rules() {
            return None;
        }
        let is_same_start =
            ours.start() == theirs.start() && ours.start().quiet_plies() == theirs.start().quiet_plies();
        let index = match theirs.plies().split_at_checked(ours.plies().len()) {
            Some((before, after))
                if is_same_start && ours.plies().iter().map(Ply::mv).eq(before.iter().map(Ply::mv)) =>
            {
                self.follow(self.root, after)
            }
            _ => {
                let start = self.find_capture(&mut ours.clone(), self.root, theirs.start(), 2)?;
                self.follow(start, theirs.plies())
            }
        }?;
        // A game that is over there may still be searched on, and needs moves for it.
        let node = self.pools.get(index);
        (0 < node.visits && (0 < node.edges || node.is_leaf())).then_some(index)
    }

    fn follow(&self, mut index: u32, plies: &[Ply]) -> Option<u32> {
        for ply in plies {
            let node = self.pools.get(index);
            index = self.pools.opened_edges(node).find(|edge| edge.mv == ply.mv())?.child?.get();
        }
        Some(index)
    }

    /// The node of this position, if it is at most so many plies below a node and a capture leads to it. Some programs
    /// tell a game from its last capture on; no rule looks back further, so it is the same game. `game` ends at the
    /// node, and is left as it was.
    fn find_capture(&self, game: &mut Game, index: u32, position: &Position, plies: u32) -> Option<u32> {
        let is_quiet = 0 < game.position().quiet_plies() || game.plies().is_empty();
        if !is_quiet && position.quiet_plies() == 0 && game.position() == position {
            return Some(index);
        }
        let node = self.pools.get(index);
        self.pools.opened_edges(node).filter(|_| 0 < plies).find_map(|edge| {
            game.play_unchecked(edge.mv);
            let found = self.find_capture(game, edge.child?.get(), position, plies - 1);
            game.undo();
            found
        })
    }
}
