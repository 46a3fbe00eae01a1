//! Where each kind of piece attacks, by tables computed at compile time from the pieces' steps.
//!
//! Lines: the occupancy of a rank (9 bits) or file (10 bits) indexes a table of targets, as in ElephantEye and
//! other bit-row programs; the file's ten bits lie ready in [`Occupancy`].

use crate::bitboard::Bitboard;
use crate::piece::Colour;
use crate::square::Square;

/// Which points are occupied, kept twice: as a set, and by file with rank as the bit number.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Occupancy {
    pub(crate) all: Bitboard,
    files: [u16; 9],
}

impl Occupancy {
    /// Fills an empty point or empties a full one.
    #[inline]
    pub(crate) fn toggle(&mut self, square: Square) {
        self.all ^= Bitboard::of(square);
        self.files[square.file() as usize] ^= 1 << square.rank();
    }

    #[inline]
    fn rank_bits(&self, square: Square) -> usize {
        (self.all.0 >> (9 * square.rank() as u32)) as usize & 0x1ff
    }

    #[inline]
    fn file_bits(&self, square: Square) -> usize {
        self.files[square.file() as usize] as usize
    }
}

/// What a rook reaches: up to and including the first piece in each direction, of either side.
#[inline]
pub(crate) fn rook(square: Square, occupied: &Occupancy) -> Bitboard {
    let (file, rank) = (square.file() as usize, square.rank() as usize);
    let along_rank = (ROOK_RANK[file][occupied.rank_bits(square)] as u128) << (9 * rank);
    let along_file = ROOK_FILE[rank][occupied.file_bits(square)] << file;
    Bitboard(along_rank | along_file)
}

/// What a cannon captures: the second piece in each direction, of either side.
#[inline]
pub(crate) fn cannon(square: Square, occupied: &Occupancy) -> Bitboard {
    let (file, rank) = (square.file() as usize, square.rank() as usize);
    let along_rank = (CANNON_RANK[file][occupied.rank_bits(square)] as u128) << (9 * rank);
    let along_file = CANNON_FILE[rank][occupied.file_bits(square)] << file;
    Bitboard(along_rank | along_file)
}

/// Where a horse jumps: not over an occupied leg.
#[inline]
pub(crate) fn horse(square: Square, occupied: Bitboard) -> Bitboard {
    unblocked(&HORSE[square.index()], occupied)
}

/// From where a horse attacks this point: the legs are the diagonal neighbours.
#[inline]
pub(crate) fn horse_sources(square: Square, occupied: Bitboard) -> Bitboard {
    unblocked(&HORSE_SOURCES[square.index()], occupied)
}

/// The leg of a horse that stands on `from` and looks at `to`.
#[inline]
pub(crate) const fn horse_leg(from: Square, to: Square) -> Square {
    let files = to.file() as i8 - from.file() as i8;
    let ranks = to.rank() as i8 - from.rank() as i8;
    match from.offset(files / 2, ranks / 2) {
        Some(leg) => leg,
        None => panic!("the leg lies between two points of the board"),
    }
}

/// Where an elephant goes: not over an occupied eye, not over the river.
#[inline]
pub(crate) fn elephant(square: Square, occupied: Bitboard) -> Bitboard {
    unblocked(&ELEPHANT[square.index()], occupied)
}

/// Where an advisor goes.
#[inline]
pub(crate) fn advisor(square: Square) -> Bitboard {
    ADVISOR[square.index()]
}

/// Where a general goes: one step inside the palace (the line to the other general is not in it).
#[inline]
pub(crate) fn general(square: Square) -> Bitboard {
    GENERAL[square.index()]
}

/// Where a pawn of this side goes.
#[inline]
pub(crate) fn pawn(colour: Colour, square: Square) -> Bitboard {
    PAWN[colour as usize][square.index()]
}

/// From where a pawn of this side attacks this point.
#[inline]
pub(crate) fn pawn_sources(colour: Colour, square: Square) -> Bitboard {
    PAWN_SOURCES[colour as usize][square.index()]
}

/// From where a horse would attack this point if no leg were occupied.
#[inline]
pub(crate) fn horse_circle(square: Square) -> Bitboard {
    HORSE_CIRCLE[square.index()]
}

/// The points of both palaces.
pub(crate) const PALACES: Bitboard = {
    let mut set = Bitboard::EMPTY;
    let mut index = 0;
    while index < 90 {
        let square = Square::from_index(index);
        if 3 <= square.file() && square.file() <= 5 && (square.rank() <= 2 || 7 <= square.rank()) {
            set = set.with(square);
        }
        index += 1;
    }
    set
};

/// The points that a side's advisors can stand on.
pub(crate) const fn advisor_points(colour: Colour) -> Bitboard {
    home_points(colour, &[(3, 0), (5, 0), (4, 1), (3, 2), (5, 2)])
}

/// The points that a side's elephants can stand on.
pub(crate) const fn elephant_points(colour: Colour) -> Bitboard {
    home_points(colour, &[(2, 0), (6, 0), (0, 2), (4, 2), (8, 2), (2, 4), (6, 4)])
}

/// The points that a side's pawns can stand on: the start points and those before them, and the enemy's half.
pub(crate) const fn pawn_points(colour: Colour) -> Bitboard {
    let home = home_points(
        colour,
        &[(0, 3), (2, 3), (4, 3), (6, 3), (8, 3), (0, 4), (2, 4), (4, 4), (6, 4), (8, 4)],
    );
    Bitboard(home.0 | half(colour.opponent()).0)
}

/// A side's half of the board.
pub(crate) const fn half(colour: Colour) -> Bitboard {
    let red = (1_u128 << 45) - 1;
    match colour {
        Colour::Red => Bitboard(red),
        Colour::Black => Bitboard(red << 45),
    }
}

const fn home_points(colour: Colour, points: &[(u8, u8)]) -> Bitboard {
    let mut set = Bitboard::EMPTY;
    let mut i = 0;
    while i < points.len() {
        if let Some(square) = Square::new(points[i].0, points[i].1) {
            set = set.with(square);
        }
        i += 1;
    }
    match colour {
        Colour::Red => set,
        Colour::Black => set.turned(),
    }
}

/// Up to four points that may be occupied, each with the targets that it then blocks.
type Blockable = [(Bitboard, Bitboard); 4];

#[inline]
fn unblocked(directions: &Blockable, occupied: Bitboard) -> Bitboard {
    directions.iter().fold(Bitboard::EMPTY, |targets, &(blocker, reached)| {
        if (blocker & occupied).is_empty() { targets | reached } else { targets }
    })
}

const ORTHOGONAL: [(i8, i8); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
const DIAGONAL: [(i8, i8); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];

static HORSE: [Blockable; 90] = blockable_table(&ORTHOGONAL, Jump::Horse);
static HORSE_SOURCES: [Blockable; 90] = blockable_table(&DIAGONAL, Jump::HorseSource);
static ELEPHANT: [Blockable; 90] = blockable_table(&DIAGONAL, Jump::Elephant);

enum Jump {
    Horse,
    HorseSource,
    Elephant,
}

const fn blockable_table(steps: &[(i8, i8); 4], jump: Jump) -> [Blockable; 90] {
    let mut table = [[(Bitboard::EMPTY, Bitboard::EMPTY); 4]; 90];
    let mut index = 0;
    while index < 90 {
        let square = Square::from_index(index);
        let mut i = 0;
        while i < 4 {
            let (dx, dy) = steps[i];
            if let Some(blocker) = square.offset(dx, dy) {
                let reached = match jump {
                    // One straight, then one diagonal outwards.
                    Jump::Horse if dx != 0 => pair(square.offset(2 * dx, 1), square.offset(2 * dx, -1)),
                    Jump::Horse => pair(square.offset(1, 2 * dy), square.offset(-1, 2 * dy)),
                    // The same way backwards: one diagonal, then one straight.
                    Jump::HorseSource => pair(square.offset(2 * dx, dy), square.offset(dx, 2 * dy)),
                    Jump::Elephant => {
                        let target = pair(square.offset(2 * dx, 2 * dy), None);
                        let home = if square.rank() < 5 { Colour::Red } else { Colour::Black };
                        Bitboard(target.0 & half(home).0)
                    }
                };
                table[index][i] = (Bitboard::of(blocker), reached);
            }
            i += 1;
        }
        index += 1;
    }
    table
}

const fn pair(a: Option<Square>, b: Option<Square>) -> Bitboard {
    let set = match a {
        Some(a) => Bitboard::of(a),
        None => Bitboard::EMPTY,
    };
    match b {
        Some(b) => set.with(b),
        None => set,
    }
}

static HORSE_CIRCLE: [Bitboard; 90] = {
    let mut table = [Bitboard::EMPTY; 90];
    let mut index = 0;
    while index < 90 {
        let mut i = 0;
        while i < 4 {
            let (dx, dy) = DIAGONAL[i];
            let square = Square::from_index(index);
            let sources = pair(square.offset(2 * dx, dy), square.offset(dx, 2 * dy));
            table[index] = Bitboard(table[index].0 | sources.0);
            i += 1;
        }
        index += 1;
    }
    table
};

static ADVISOR: [Bitboard; 90] = palace_table(&DIAGONAL);
static GENERAL: [Bitboard; 90] = palace_table(&ORTHOGONAL);

const fn palace_table(steps: &[(i8, i8); 4]) -> [Bitboard; 90] {
    let mut table = [Bitboard::EMPTY; 90];
    let mut index = 0;
    while index < 90 {
        let mut i = 0;
        while i < 4 {
            let target = pair(Square::from_index(index).offset(steps[i].0, steps[i].1), None);
            table[index] = Bitboard(table[index].0 | target.0 & PALACES.0);
            i += 1;
        }
        index += 1;
    }
    table
}

static PAWN: [[Bitboard; 90]; 2] = [pawn_table(Colour::Red, false), pawn_table(Colour::Black, false)];
static PAWN_SOURCES: [[Bitboard; 90]; 2] = [pawn_table(Colour::Red, true), pawn_table(Colour::Black, true)];

const fn pawn_table(colour: Colour, sources: bool) -> [Bitboard; 90] {
    let forward = match colour {
        Colour::Red => 1,
        Colour::Black => -1,
    };
    let mut table = [Bitboard::EMPTY; 90];
    let mut index = 0;
    while index < 90 {
        let from = Square::from_index(index);
        let mut targets = pair(from.offset(0, forward), None);
        if half(colour.opponent()).contains(from) {
            targets.0 |= pair(from.offset(1, 0), from.offset(-1, 0)).0;
        }
        let mut to = 0;
        while to < 90 {
            if targets.contains(Square::from_index(to)) {
                let (key, value) = if sources { (to, index) } else { (index, to) };
                table[key] = table[key].with(Square::from_index(value));
            }
            to += 1;
        }
        index += 1;
    }
    table
}

static ROOK_RANK: [[u16; 512]; 9] = rank_table(1);
static CANNON_RANK: [[u16; 512]; 9] = rank_table(2);
static ROOK_FILE: [[u128; 1024]; 10] = file_table(1);
static CANNON_FILE: [[u128; 1024]; 10] = file_table(2);

const fn rank_table(pieces: u32) -> [[u16; 512]; 9] {
    let mut table = [[0; 512]; 9];
    let mut at = 0;
    while at < 9 {
        let mut occupied = 0;
        while occupied < 512 {
            table[at][occupied] = line_targets(9, at as u32, occupied as u16, pieces);
            occupied += 1;
        }
        at += 1;
    }
    table
}

const fn file_table(pieces: u32) -> [[u128; 1024]; 10] {
    let mut table = [[0; 1024]; 10];
    let mut at = 0;
    while at < 10 {
        let mut occupied = 0;
        while occupied < 1024 {
            let line = line_targets(10, at as u32, occupied as u16, pieces);
            let mut rest = line;
            while rest != 0 {
                table[at][occupied] |= 1 << (9 * rest.trailing_zeros());
                rest &= rest - 1;
            }
            occupied += 1;
        }
        at += 1;
    }
    table
}

/// The targets on one line of `len` points from the point `at`: with `pieces` = 1 all points up to the first
/// piece (rook), with 2 the second piece alone (cannon's capture).
const fn line_targets(len: u32, at: u32, occupied: u16, pieces: u32) -> u16 {
    let mut targets = 0;
    let mut direction = 0;
    while direction < 2 {
        let mut met = 0;
        let mut point = at;
        while met < pieces {
            // Stop at either end of the line.
            if (direction == 0 && point + 1 == len) || (direction == 1 && point == 0) {
                break;
            }
            point = if direction == 0 { point + 1 } else { point - 1 };
            met += (occupied >> point & 1) as u32;
            if pieces == 1 || (met == pieces && occupied >> point & 1 != 0) {
                targets |= 1 << point;
            }
        }
        direction += 1;
    }
    targets
}
