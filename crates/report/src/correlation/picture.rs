//! The interleaving as a picture: lines of the new version to the right, lines of the old version upwards, a
//! mark at each
//! pair of lines at which both versions wait for each other (paper 004, Fig. 2).
//!
//! Equal states are green circles, others red squares, so that they can be told apart without colours. Outputs
//! and ends are
//! filled.

use std::collections::BTreeSet;
use std::fmt::Write;
use verdiff_judge::correlation::Correlation;

const CELL: usize = 34;
const LEFT: usize = 330;
const TOP: usize = 60;

/// An SVG of the interleaving; `old` and `new` are the source texts.
pub fn correlation_svg(correlation: &Correlation, old: &str, new: &str) -> String {
    let lines = |of: fn(&verdiff_judge::correlation::Meeting) -> u32| {
        correlation
            .meetings
            .iter()
            .map(of)
            .collect::<BTreeSet<u32>>()
            .into_iter()
            .collect::<Vec<u32>>()
    };
    let (rows, columns) = (lines(|meeting| meeting.old), lines(|meeting| meeting.new));
    let width = LEFT + columns.len() * CELL + 40;
    let bottom = TOP + rows.len() * CELL;
    let height = bottom + 330;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" \
         font-family=\"monospace\" font-size=\"12\">\n<title>{}</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n\
         <defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" \
         markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">\
         <path d=\"M0 0L8 4L0 8z\" fill=\"#555555\"/></marker></defs>\n",
        escape(&correlation.function)
    );
    let _ = writeln!(
        svg,
        "<text x=\"10\" y=\"20\">{}: old version upwards, new version to the right</text>\n\
         <circle cx=\"18\" cy=\"38\" r=\"6\" fill=\"#2e7d32\"/><text x=\"30\" y=\"42\">equal</text>\n\
         <rect x=\"92\" y=\"32\" width=\"12\" height=\"12\" fill=\"#c62828\"/>\
         <text x=\"110\" y=\"42\">not proved equal</text>\n\
         <text x=\"250\" y=\"42\">filled: output or end</text>",
        escape(&correlation.function)
    );
    let x = |line: u32| {
        LEFT + columns.iter().position(|there| *there == line).unwrap_or(0) * CELL + CELL / 2
    };
    let y = |line: u32| {
        bottom - rows.iter().position(|there| *there == line).unwrap_or(0) * CELL - CELL / 2
    };
    let text = |source: &str, line: u32| {
        let code = source.lines().nth((line as usize).wrapping_sub(1)).unwrap_or("").trim();
        let short: String = code.chars().take(38).collect();
        escape(&format!("{line}  {short}"))
    };
    for line in &rows {
        let at = y(*line);
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
            LEFT - 8,
            at + 4,
            text(old, *line)
        );
        let _ = writeln!(svg, "<path d=\"M{LEFT} {at}H{}\" stroke=\"#e0e0e0\"/>", width - 40);
    }
    for line in &columns {
        let at = x(*line);
        let _ = writeln!(svg, "<path d=\"M{at} {TOP}V{bottom}\" stroke=\"#e0e0e0\"/>");
        let _ = writeln!(
            svg,
            "<text transform=\"translate({at} {}) rotate(90)\">{}</text>",
            bottom + 8,
            text(new, *line)
        );
    }
    for meeting in &correlation.meetings {
        let (from_x, from_y) = (x(meeting.new) as i64, y(meeting.old) as i64);
        for next in &meeting.next {
            let Some(to) = correlation.meetings.get(*next as usize) else { continue };
            let (to_x, to_y) = (x(to.new) as i64, y(to.old) as i64);
            if (from_x, from_y) == (to_x, to_y) {
                let _ = writeln!(
                    svg,
                    "<circle cx=\"{}\" cy=\"{}\" r=\"9\" fill=\"none\" stroke=\"#555555\"/>",
                    from_x + 8,
                    from_y - 8
                );
                continue;
            }
            // Bent a little, so that a way back is not hidden by the way there.
            let (middle_x, middle_y) = (
                (from_x + to_x) / 2 + (to_y - from_y) / 8,
                (from_y + to_y) / 2 - (to_x - from_x) / 8,
            );
            let _ = writeln!(
                svg,
                "<path d=\"M{from_x} {from_y}Q{middle_x} {middle_y} {to_x} {to_y}\" \
                 fill=\"none\" stroke=\"#555555\" marker-end=\"url(#arrow)\"/>"
            );
        }
    }
    for meeting in &correlation.meetings {
        let (at_x, at_y) = (x(meeting.new), y(meeting.old));
        let colour = if meeting.equal { "#2e7d32" } else { "#c62828" };
        let fill = if meeting.visible { colour } else { "#ffffff" };
        let style = format!("fill=\"{fill}\" stroke=\"{colour}\" stroke-width=\"2\"");
        let _ = match meeting.equal {
            true => writeln!(svg, "<circle cx=\"{at_x}\" cy=\"{at_y}\" r=\"7\" {style}/>"),
            false => writeln!(
                svg,
                "<rect x=\"{}\" y=\"{}\" width=\"13\" height=\"13\" {style}/>",
                at_x - 6,
                at_y - 6
            ),
        };
    }
    svg.push_str("</svg>\n");
    svg
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
