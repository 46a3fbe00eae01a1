//! A rated pool for people: a table and a picture.

use crate::elo::Elo;
use crate::pool::{PoolPlayer, PoolRating, Standing, Triple};
use std::fmt::{self, Write as _};

/// A triple is told about if each of its three results is no chance with this likelihood.
const TELLING: f64 = 0.95;

/// At most so many triples are listed.
const TRIPLES_SHOWN: usize = 10;

impl fmt::Display for PoolRating {
    /// A table of the players, the strongest first; then the circles of three that chance hardly explains.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.players.iter().map(|player| player.name.chars().count()).max().unwrap_or(0).max(6);
        writeln!(
            f,
            "{:>3} {:<width$} {:>17} {:>6} {:>7} {:>6}  above next",
            "", "player", "Elo", "games", "points", "draws"
        )?;
        for (place, player) in self.players.iter().enumerate() {
            let games = f64::from(player.tally.games());
            let (points, draws) = (player.tally.points(), f64::from(player.tally.draws));
            write!(
                f,
                "{:>3} {:<width$} {:>17} {games:>6} {:>5.1} % {:>4.0} %",
                place + 1,
                player.name,
                elo_text(player),
                100.0 * points / games,
                100.0 * draws / games,
            )?;
            match player.above_next {
                Some(likelihood) => writeln!(f, "  {:.1} %", 100.0 * likelihood)?,
                None => writeln!(f)?,
            }
        }
        write!(f, "{} games", self.games)?;
        if 0 < self.games_against_itself {
            write!(f, ", and {} of a player against itself, not counted", self.games_against_itself)?;
        }
        if self.players.iter().any(|player| player.standing == Standing::Origin) {
            f.write_str(
                "; too few games for ratings, as no two players took points from each other: only bounds, from the origin",
            )?;
        } else if self.anchors.is_empty() {
            f.write_str("; no anchors, the mean is 0")?;
        }
        self.write_triples(f)
    }
}

impl PoolRating {
    fn write_triples(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let telling = self.triples.iter().filter(|triple| TELLING <= triple.likelihood).count();
        for triple in self.triples.iter().take(telling.min(TRIPLES_SHOWN)) {
            write!(f, "\nnon-transitive: {}", triple_text(triple))?;
        }
        let (hidden, chance) = (telling.saturating_sub(TRIPLES_SHOWN), self.triples.len() - telling);
        if 0 < hidden {
            write!(f, "\nnon-transitive: {hidden} more")?;
        }
        if 0 < chance {
            write!(f, "\nnon-transitive by chance, it may be: {chance}")?;
        }
        Ok(())
    }

    /// The ratings as a picture: a dot for each player, its 95 % interval as a line. An end that isn't known is an
    /// arrow; anchors, and an origin, are rings.
    pub fn to_svg(&self) -> String {
        let axis = Axis::over(&self.players);
        let height = TOP + ROW * self.players.len() as f64 + BOTTOM;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" \
             font-size=\"13\">\n<title>Elo with 95 % intervals, {} games</title>\n\
             <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#fff\"/>\n",
            self.games
        );
        axis.draw(&mut svg, height - BOTTOM);
        for (place, player) in self.players.iter().enumerate() {
            draw_player(&mut svg, player, &axis, TOP + ROW * (place as f64 + 0.5));
        }
        svg += "</svg>\n";
        svg
    }
}

fn elo_text(player: &PoolPlayer) -> String {
    match player.standing {
        Standing::Anchor => format!("{:+.1} (anchor)", player.elo.value),
        Standing::Origin => format!("{:.1} (origin)", player.elo.value),
        Standing::Rated | Standing::Unlinked => player.elo.to_string(),
    }
}

/// `a > b > c > a with 60.0, 55.0, 70.0 % (each 97.1 % sure)`
fn triple_text(triple: &Triple) -> String {
    let [a, b, c] = &triple.names;
    let [first, second, third] = triple.shares.map(|share| 100.0 * share);
    format!(
        "{a} > {b} > {c} > {a} with {first:.1}, {second:.1}, {third:.1} % (each at least {:.1} % sure)",
        100.0 * triple.likelihood
    )
}

/// In the picture's own units.
const WIDTH: f64 = 760.0;
const LEFT: f64 = 200.0;
const RIGHT: f64 = 620.0;
const TOP: f64 = 12.0;
const ROW: f64 = 22.0;
const BOTTOM: f64 = 30.0;

/// Where an Elo is in the picture.
struct Axis {
    low: f64,
    high: f64,
    step: f64,
}

impl Axis {
    fn over(players: &[PoolPlayer]) -> Self {
        let ends = players.iter().flat_map(|player| [player.elo.low, player.elo.value, player.elo.high]);
        let (low, high) = ends
            .filter(|elo| elo.is_finite())
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), elo| (low.min(elo), high.max(elo)));
        let (low, high) = if low <= high { (low, high) } else { (0.0, 0.0) };
        let span = (high - low).max(10.0);
        let steps = [10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0];
        let step = steps.into_iter().find(|step| span / step <= 8.0).unwrap_or(5000.0);
        let low = (low / step).floor() * step;
        Self { low, high: ((high / step).ceil() * step).max(low + step), step }
    }

    /// The horizontal place; what is beyond, and infinity, is at the edge.
    fn x(&self, elo: f64) -> f64 {
        LEFT + (RIGHT - LEFT) * ((elo - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    fn draw(&self, svg: &mut String, bottom: f64) {
        let lines = ((self.high - self.low) / self.step).round() as u32;
        for line in 0..=lines {
            let elo = self.low + f64::from(line) * self.step;
            let x = self.x(elo);
            push(
                svg,
                format_args!(
                    "<path d=\"M{x:.1} {TOP}V{bottom}\" stroke=\"#ddd\"/>\n\
                     <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#666\">{elo:.0}</text>\n",
                    bottom + 18.0
                ),
            );
        }
    }
}

fn draw_player(svg: &mut String, player: &PoolPlayer, axis: &Axis, y: f64) {
    let Elo { value, low, high } = player.elo;
    let (text, name, rating) = (y + 4.5, escaped(&player.name), escaped(&elo_text(player)));
    push(
        svg,
        format_args!(
            "<text x=\"{:.1}\" y=\"{text:.1}\" text-anchor=\"end\">{name}</text>\n\
             <text x=\"{:.1}\" y=\"{text:.1}\" fill=\"#666\">{rating}</text>\n",
            LEFT - 10.0,
            RIGHT + 10.0
        ),
    );
    if !low.is_finite() && !high.is_finite() {
        return;
    }
    let (from, to) = (axis.x(low), axis.x(high));
    let line = "stroke=\"#1f5f99\" stroke-width=\"2\" fill=\"none\"";
    push(svg, format_args!("<path d=\"M{from:.1} {y:.1}H{to:.1}\" {line}/>\n"));
    for (end, x, inward) in [(low, from, 5.0), (high, to, -5.0)] {
        if !end.is_finite() {
            let back = x + inward;
            let (above, below) = (y - 4.0, y + 4.0);
            push(
                svg,
                format_args!(
                    "<path d=\"M{back:.1} {above:.1}L{x:.1} {y:.1}L{back:.1} {below:.1}\" {line}/>\n"
                ),
            );
        }
    }
    if value.is_finite() {
        let given = matches!(player.standing, Standing::Anchor | Standing::Origin);
        let fill = if given { "#fff" } else { "#1f5f99" };
        let x = axis.x(value);
        push(
            svg,
            format_args!(
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{fill}\" stroke=\"#1f5f99\"/>\n"
            ),
        );
    }
}

fn push(svg: &mut String, text: fmt::Arguments<'_>) {
    svg.write_fmt(text).expect("writing to a string never fails");
}

/// A text inside an element; what XML can't say is left out.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in
        text.chars().filter(|letter| !letter.is_control() && !matches!(letter, '\u{fffe}' | '\u{ffff}'))
    {
        match letter {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            _ => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use crate::pool::{Pool, Tally};
    use std::collections::BTreeMap;

    fn pool() -> Pool {
        let mut pool = Pool::default();
        pool.add_tally("stone", "scissors", Tally { wins: 30, draws: 4, losses: 6 });
        pool.add_tally("scissors", "paper & <ink>", Tally { wins: 30, draws: 4, losses: 6 });
        pool.add_tally("paper & <ink>", "stone", Tally { wins: 30, draws: 4, losses: 6 });
        pool.add_tally("well", "stone", Tally { wins: 10, ..Tally::default() });
        pool.add_tally("well", "well", Tally { draws: 2, ..Tally::default() });
        pool
    }

    #[test]
    fn the_table_shows_bounds_anchors_and_circles() {
        let anchors = BTreeMap::from([("stone".to_owned(), 100.0)]);
        let text = pool().rate(&anchors).unwrap().to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].ends_with("Elo  games  points  draws  above next"), "{text}");
        assert!(lines[1].starts_with("  1 well ") && lines[1].contains("> +"), "{text}");
        assert!(text.contains("+100.0 (anchor)"), "{text}");
        assert!(text.contains("130 games, and 2 of a player against itself, not counted"), "{text}");
        assert!(
            text.ends_with(
                "non-transitive: paper & <ink> > stone > scissors > paper & <ink> with 80.0, 80.0, 80.0 % (each at \
                 least 100.0 % sure)"
            ),
            "{text}"
        );
    }

    #[test]
    fn the_picture_is_xml_whatever_the_names() {
        let svg = pool().rate(&BTreeMap::new()).unwrap().to_svg();
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert!(svg.contains(">paper &amp; &lt;ink&gt;</text>"), "{svg}");
        assert_eq!(svg.matches("<circle ").count(), 3, "{svg}");
        assert!(!svg.contains("inf") && !svg.contains("NaN"), "{svg}");
        let tags = |what: &str| svg.matches(what).count();
        assert_eq!(tags("<text "), tags("</text>"));
    }
}
