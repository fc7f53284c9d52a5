//! The table.

use std::fmt;

use test_support::lines;
use test_support::lines::Lines;

/// Why something cannot be had on this machine.
#[derive(Debug, Clone)]
pub(crate) struct Missing(pub(crate) String);

/// A figure or program that is left out of the table, without a failure, if it is missing here.
pub(crate) type Available<T> = Result<T, Missing>;

/// Returns the ratio of two figures.
pub(crate) fn ratio(of: &Available<f64>, to: &Available<f64>) -> Available<f64> {
    Ok(of.clone()? / to.clone()?)
}

/// The limit of a figure.
pub(crate) enum Must {
    AtMost(f64),
    AtLeast(f64),
    /// Shown to show growth.
    Anything,
}

impl Must {
    fn holds(&self, now: f64) -> bool {
        match *self {
            Self::AtMost(limit) => now <= limit,
            Self::AtLeast(limit) => now >= limit,
            Self::Anything => true,
        }
    }
}

impl fmt::Display for Must {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match *self {
            Self::AtMost(limit) => format!("≤ {}", with_separators(&limit.to_string())),
            Self::AtLeast(limit) => format!("≥ {}", with_separators(&limit.to_string())),
            Self::Anything => String::new(),
        };
        f.pad(&text)
    }
}

struct Row {
    now: Available<f64>,
    must: Must,
    what: String,
}

impl Row {
    fn is_missed(&self) -> bool {
        self.now.as_ref().is_ok_and(|now| !self.must.holds(*now))
    }
}

/// Every figure of a run.
#[derive(Default)]
pub(crate) struct Report {
    rows: Vec<Row>,
}

impl Report {
    pub(crate) fn add(&mut self, now: Available<f64>, must: Must, what: impl Into<String>) {
        let what = what.into();
        self.rows.push(Row { now, must, what });
    }

    /// Adds a figure of `lines/figures.txt`.
    ///
    /// # Panics
    ///
    /// If there is no figure of this name, or it has no limit.
    pub(crate) fn check(&mut self, name: &str, now: Available<f64>) {
        let table: Lines = lines!("lines/figures.txt");
        let mut rows = table.section("figures").rows.iter();
        let row = rows.find(|row| row.expected[0] == name);
        let row = row.unwrap_or_else(|| panic!("no figure `{name}`"));
        let [_, limit] = row.fields();
        let (words, number) = limit.rsplit_once(' ').expect("a limit");
        let number = number.parse().expect("a number");
        let must = if words == "at most" { Must::AtMost(number) } else { Must::AtLeast(number) };
        self.add(now, must, &row.line);
    }

    pub(crate) fn missed(&self) -> usize {
        self.rows.iter().filter(|row| row.is_missed()).count()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  {:>10}  {:>9}  what", "now", "must")?;
        for row in &self.rows {
            let mark = if row.is_missed() { '!' } else { ' ' };
            let Row { now, must, what } = row;
            match now {
                Ok(now) => writeln!(f, "{mark} {:>10}  {must:>9}  {what}", number(*now))?,
                Err(Missing(why)) => writeln!(f, "{mark} {:>10}  {must:>9}  {what}; skipped: {why}", "")?,
            }
        }
        match self.missed() {
            0 => write!(f, "\nEvery must is met."),
            missed => write!(f, "\nNot met, and marked with `!`: {missed}."),
        }
    }
}

/// Formats a number with three digits or more.
fn number(value: f64) -> String {
    if value < 100.0 { format!("{value:.3}") } else { with_separators(&format!("{value:.0}")) }
}

/// Splits the digits before the point into groups of three.
fn with_separators(number: &str) -> String {
    let (whole, fraction) = number.split_at(number.find('.').unwrap_or(number.len()));
    let mut text = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text + fraction
}
