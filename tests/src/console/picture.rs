//! Pictures of commands' output, which follow the reader's choice of light or dark.

use std::fs;

use anstyle_svg::Term;
use anyhow::{Result, ensure};

use crate::xtask::repository;

/// The width of the terminal, in columns. A wider picture would be made smaller on a page.
const WIDTH: usize = 80;

/// Maximum size of a picture, in bytes.
const LARGEST: usize = 40_000;

/// Returns `true` if the book's picture shows an output; `SNAPSHOTS=overwrite` draws it.
///
/// # Errors
///
/// If the picture is too large for a page, or cannot be written.
pub fn is_drawn(name: &str, output: &str) -> Result<bool> {
    let path = repository().join(format!("docs/book/src/pictures/{name}.svg"));
    let drawn = drawn(output);
    ensure!(drawn.len() <= LARGEST, "{name}: {} bytes", drawn.len());
    if super::is_overwriting() {
        fs::write(&path, &drawn)?;
    }
    Ok(fs::read_to_string(&path).is_ok_and(|picture| picture == drawn))
}

/// The colors of a terminal by their names, for light and for dark.
const COLORS: &str = include_str!("../../fixtures/console/colors.txt");

/// Returns the light and the dark color of a name.
fn color(name: &str) -> Option<(&'static str, &'static str)> {
    let colors = COLORS.lines().find_map(|row| row.strip_prefix(name)?.strip_prefix(' '));
    colors?.split_once(' ')
}

/// The opacity of dimmed text: the contrast is at least 4.5, the minimum of WCAG.
const DIMMED: f64 = 0.7;

/// Draws the output of a command.
fn drawn(output: &str) -> String {
    // A column of the font is 8.4 pixels wide.
    let drawing = Term::new().min_width_px(WIDTH * 42 / 5).render_svg(&wrapped(output.trim_end(), WIDTH));
    let (mut light, mut dark) = (String::new(), String::new());
    let mut lines: Vec<&str> = Vec::new();
    for line in drawing.lines() {
        let class = line.trim_start().strip_prefix('.').and_then(|line| line.split_once(" {"));
        match class.and_then(|(name, _)| Some((name, color(name)?))) {
            Some((name, (of_light, of_dark))) => {
                light += &format!("    .{name} {{ fill: {of_light} }}\n");
                dark += &format!("      .{name} {{ fill: {of_dark} }}\n");
            }
            None => lines.push(line),
        }
    }
    let drawing = lines.join("\n").replace("opacity: 0.4", &format!("opacity: {DIMMED}"));
    let style = format!("  <style>\n{light}    @media (prefers-color-scheme: dark) {{\n{dark}    }}");
    drawing.replacen("  <style>", &style, 1) + "\n"
}

/// Breaks lines where a terminal of this width does. Escape sequences take no room.
fn wrapped(text: &str, width: usize) -> String {
    let mut wrapped = String::new();
    let mut column = 0;
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        if char == '\u{1b}' {
            wrapped.push(char);
            let is_link = chars.peek() == Some(&']');
            // A link ends with BEL, or with ESC and a backslash; a style with its letter.
            for char in chars.by_ref() {
                wrapped.push(char);
                let is_end = match is_link {
                    true => matches!(char, '\u{7}' | '\\'),
                    false => char.is_ascii_alphabetic(),
                };
                if is_end {
                    break;
                }
            }
            continue;
        }
        if char == '\n' {
            column = 0;
        } else {
            if column == width {
                wrapped.push('\n');
                column = 0;
            }
            column += 1;
        }
        wrapped.push(char);
    }
    wrapped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_where_a_terminal_breaks_them() {
        assert_eq!(wrapped("abcd\nefghi\n", 4), "abcd\nefgh\ni\n");
        assert_eq!(wrapped("\u{1b}[1mabcd\u{1b}[0me", 4), "\u{1b}[1mabcd\u{1b}[0m\ne");
        assert_eq!(
            wrapped("\u{1b}]8;;file:///a\u{1b}\\abcd\u{1b}]8;;\u{1b}\\", 4),
            "\u{1b}]8;;file:///a\u{1b}\\abcd\u{1b}]8;;\u{1b}\\"
        );
    }

    /// Returns the luminance of a color by WCAG 2.
    fn luminance(color: [f64; 3]) -> f64 {
        let linear = color.map(|part| {
            let part = part / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }

    fn contrast(one: [f64; 3], other: [f64; 3]) -> f64 {
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn every_color_that_is_used_can_be_read() {
        let parsed = |color: &str| [1, 3, 5].map(|at| f64::from(u8::from_str_radix(&color[at..at + 2], 16).unwrap()));
        let color = |name: &str| color(name).unwrap();
        let ((light, dark), (light_back, dark_back)) = (color("fg"), color("bg"));
        for (text, back) in [(light, light_back), (dark, dark_back)] {
            let (text, back) = (parsed(text), parsed(back));
            let dimmed = [0, 1, 2].map(|part| DIMMED * text[part] + (1.0 - DIMMED) * back[part]);
            assert!(contrast(dimmed, back) >= 4.5, "{}", contrast(dimmed, back));
        }
        for name in ["fg", "fg-red", "fg-green", "fg-yellow", "fg-blue", "fg-cyan"] {
            let (light, dark) = color(name);
            for (text, back) in [(light, light_back), (dark, dark_back)] {
                let found = contrast(parsed(text), parsed(back));
                assert!(found >= 4.5, "{name}: {found}");
            }
        }
    }

    #[test]
    fn a_picture_has_the_colors_of_both_schemes() {
        let picture = drawn("\u{1b}[31merror\u{1b}[0m: no\n");
        for color in ["#cf222e", "#ff7b72", "#ffffff", "#0d1117"] {
            assert_eq!(picture.matches(color).count(), 1, "{color}: {picture}");
        }
        assert!(picture.contains("error") && !picture.contains('\u{1b}'), "{picture}");
    }
}
