//! Curves as a picture (SVG, or PNG made of it): a row for each opponent, and in it a panel for each measure.

use anyhow::{Context as _, bail};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::{Database, Family, Query};
use resvg::usvg::{Options, Tree};
use std::fmt::Write as _;

/// One diagram: shares from 0 to 1 upwards, a logarithmic axis below.
#[derive(Debug)]
pub(super) struct Panel {
    pub(super) title: String,
    /// What the axis below counts.
    pub(super) unit: &'static str,
    /// One for each run, in the same order everywhere; (x, share).
    pub(super) curves: Vec<Vec<(f64, f64)>>,
}

const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 170.0;
/// Around the plot of a panel: left, right, above, below.
const MARGIN: [f64; 4] = [44.0, 14.0, 24.0, 34.0];
const LEGEND_ROW: f64 = 18.0;
/// Told apart by all kinds of eyes (Okabe and Ito).
const COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#b0a000"];

/// All panels, row by row, with the names of the runs above.
pub(super) fn to_svg(names: &[&str], rows: &[[Panel; 2]]) -> String {
    let top = 10.0 + LEGEND_ROW * names.len() as f64;
    let (width, height) = (2.0 * WIDTH, top + HEIGHT * rows.len() as f64);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
         font-size=\"11\">\n<title>Learning curves</title>\n<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n"
    );
    for (index, name) in names.iter().enumerate() {
        let (y, colour) = (10.0 + LEGEND_ROW * (index as f64 + 0.5), colour(index));
        line(&mut svg, [MARGIN[0], y, MARGIN[0] + 24.0, y], colour, 2.0);
        text(&mut svg, [MARGIN[0] + 30.0, y + 4.0], "start", name);
    }
    for (row, panels) in rows.iter().enumerate() {
        for (column, panel) in panels.iter().enumerate() {
            draw(&mut svg, panel, WIDTH * column as f64, top + HEIGHT * row as f64);
        }
    }
    svg += "</svg>\n";
    svg
}

/// Pixels of a PNG for each unit of the SVG.
const PIXELS: f32 = 2.0;

/// The picture in pixels. Words are drawn with a font of the machine.
pub(super) fn to_png(svg: &str) -> anyhow::Result<Vec<u8>> {
    let mut options = Options::default();
    let fonts = options.fontdb_mut();
    fonts.load_system_fonts();
    choose_font(fonts)?;
    let tree = Tree::from_str(svg, &options)?;
    let (width, height) = (PIXELS * tree.size().width(), PIXELS * tree.size().height());
    let mut pixels = Pixmap::new(width.ceil() as u32, height.ceil() as u32)
        .with_context(|| format!("a picture of {width} × {height} pixels is too large"))?;
    resvg::render(&tree, Transform::from_scale(PIXELS, PIXELS), &mut pixels.as_mut());
    Ok(pixels.encode_png()?)
}

/// Sees to it that "sans-serif" is a font that there is, whatever it looks like.
fn choose_font(fonts: &mut Database) -> anyhow::Result<()> {
    if fonts.query(&Query { families: &[Family::SansSerif], ..Query::default() }).is_some() {
        return Ok(());
    }
    let Some((family, _)) = fonts.faces().find_map(|face| face.families.first().cloned()) else {
        bail!("a PNG needs a font for its words, and none is installed here: install one, or draw an SVG");
    };
    fonts.set_sans_serif_family(family);
    Ok(())
}

fn draw(svg: &mut String, panel: &Panel, x: f64, y: f64) {
    let [left, right, above, below] = MARGIN;
    let (left, right, upper, lower) = (x + left, x + WIDTH - right, y + above, y + HEIGHT - below);
    text(svg, [left, upper - 8.0], "start", &format!("{}: points in %", panel.title));
    text(svg, [right, lower + 28.0], "end", panel.unit);
    for percent in [0, 25, 50, 75, 100] {
        let y = lower - (lower - upper) * f64::from(percent) / 100.0;
        line(svg, [left, y, right, y], "#ddd", 1.0);
        text(svg, [left - 6.0, y + 4.0], "end", &percent.to_string());
    }
    let positive = || panel.curves.iter().flatten().map(|&(x, _)| x).filter(|&x| 0.0 < x);
    let (least, most) = (positive().fold(f64::INFINITY, f64::min), positive().fold(0.0, f64::max));
    if most == 0.0 {
        return;
    }
    // One point alone stands in the middle of something.
    let (from, to) = if least < most { (least.ln(), most.ln()) } else { (least.ln() - 1.0, most.ln() + 1.0) };
    let across = |x: f64| left + (right - left) * (x.ln() - from) / (to - from);
    for tick in ticks(from.exp(), to.exp()) {
        line(svg, [across(tick), upper, across(tick), lower], "#ddd", 1.0);
        text(svg, [across(tick), lower + 14.0], "middle", &short(tick));
    }
    for (index, curve) in panel.curves.iter().enumerate() {
        let at =
            |&(x, share): &(f64, f64)| format!("{:.1},{:.1}", across(x), lower - (lower - upper) * share);
        let points: Vec<String> = curve.iter().filter(|&&(x, _)| 0.0 < x).map(at).collect();
        let colour = colour(index);
        writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            points.join(" ")
        )
        .expect("a string takes all");
        for (x, y) in points.iter().filter_map(|point| point.split_once(',')) {
            writeln!(svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"2.5\" fill=\"{colour}\"/>")
                .expect("a string takes all");
        }
    }
}

fn colour(index: usize) -> &'static str {
    COLOURS[index % COLOURS.len()]
}

fn line(svg: &mut String, [x1, y1, x2, y2]: [f64; 4], colour: &str, width: f64) {
    writeln!(
        svg,
        "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{colour}\" stroke-width=\"{width}\"/>"
    )
    .expect("a string takes all");
}

fn text(svg: &mut String, [x, y]: [f64; 2], anchor: &str, words: &str) {
    let words = words.replace('&', "&amp;").replace('<', "&lt;");
    writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{words}</text>")
        .expect("a string takes all");
}

/// 1, 2 and 5 times powers of ten from `from` to `to`.
fn ticks(from: f64, to: f64) -> Vec<f64> {
    let first = from.log10().floor() as i32;
    let last = to.log10().ceil() as i32;
    let all = (first..=last).flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10.0_f64.powi(power)));
    all.filter(|tick| (from..=to).contains(tick)).collect()
}

/// 200, 5 k, 2 M.
fn short(number: f64) -> String {
    match number {
        1e6.. => format!("{} M", number / 1e6),
        1e3.. => format!("{} k", number / 1e3),
        _ => format!("{number}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panel(curves: Vec<Vec<(f64, f64)>>) -> Panel {
        Panel { title: "depth-1".to_owned(), unit: "core-seconds", curves }
    }

    #[test]
    fn every_curve_is_drawn_inside_its_panel() {
        let curves = vec![vec![(10.0, 0.0), (1000.0, 1.0)], vec![(20.0, 0.5)]];
        let svg = to_svg(&["a<b", "c & d"], &[[panel(curves.clone()), panel(curves)]]);
        assert!(svg.contains(">a&lt;b<") && svg.contains(">c &amp; d<"));
        assert_eq!((svg.matches("<polyline").count(), svg.matches("<circle").count()), (4, 6));
        // From the lower left to the upper right corner: 46 and 182 are the plot's lower and upper end.
        assert!(svg.contains("points=\"44.0,182.0 406.0,70.0\""), "{svg}");
        assert!(svg.contains("points=\"464.0,182.0 826.0,70.0\""), "{svg}");
    }

    #[test]
    fn nothing_and_a_single_point_can_be_drawn() {
        let svg = to_svg(&["a"], &[[panel(vec![vec![]]), panel(vec![vec![(5.0, 0.25)]])]]);
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        assert!(svg.contains("<circle cx=\"645.0\""), "{svg}");
    }

    #[test]
    fn a_png_shows_words_and_curves() {
        let picture = |name, share| {
            let svg =
                to_svg(&[name], &[[panel(vec![vec![(10.0, 0.5), (20.0, share)]]), panel(vec![vec![]])]]);
            to_png(&svg).map(|png| Pixmap::decode_png(&png).unwrap())
        };
        let first = match picture("first", 0.5) {
            Ok(first) => first,
            Err(error) => {
                assert!(error.to_string().contains("none is installed here"), "{error:#}");
                eprintln!("skipped: {error:#}");
                return;
            }
        };
        // Two panels side by side below one line of names, in units of half a pixel.
        assert_eq!((first.width(), first.height()), (1680, 396));
        assert_eq!(first.data(), picture("first", 0.5).unwrap().data());
        assert_ne!(first.data(), picture("other", 0.5).unwrap().data());
        assert_ne!(first.data(), picture("first", 0.6).unwrap().data());
    }

    #[test]
    fn any_font_serves() {
        let error = choose_font(&mut Database::new()).unwrap_err();
        assert!(error.to_string().contains("draw an SVG"), "{error}");
        let mut fonts = Database::new();
        fonts.load_system_fonts();
        if fonts.is_empty() {
            eprintln!("skipped: no font is installed here");
            return;
        }
        fonts.set_sans_serif_family("No such family");
        choose_font(&mut fonts).unwrap();
        assert!(fonts.query(&Query { families: &[Family::SansSerif], ..Query::default() }).is_some());
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(ticks(8.0, 260.0), [10.0, 20.0, 50.0, 100.0, 200.0]);
        assert_eq!([200.0, 5000.0, 2e6].map(short), ["200", "5 k", "2 M"]);
    }
}
