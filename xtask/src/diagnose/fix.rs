//! `doctor --fix`: shows the unambiguous edits, and makes them.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use rustix::process::geteuid;
use serde_json::{Value, json};
use similar::TextDiff;

use crate::diagnose::active::session::Session;
use crate::diagnose::active::source::HookFile;
use crate::diagnose::surroundings::Surroundings;
use crate::diagnose::{look, own};
use crate::disk::beneath::{Beneath, Stat};
use crate::disk::bounded::{self, Deadline};
use crate::disk::journal::Run;
use crate::disk::write;
use crate::settings::finding::{Edit, Finding};
use crate::settings::fix::fixed;
use crate::settings::part::Part;
use crate::settings::place::{Place, PlaceKind};
use crate::settings::scope;
use crate::terminal::rows::changed_file;
use crate::terminal::style::{ADDED, BOLD, NOTE, PLAIN, REMOVED};
use crate::terminal::{self, shown};

/// The edits in one run of `doctor --fix`.
#[derive(Default)]
pub(crate) struct Fixes {
    texts: Vec<Text>,
    modes: Vec<PermissionEdit>,
    /// Number of findings fixed by the edits.
    pub(crate) count: usize,
    /// `true` if there was enough time for all edits.
    pub(crate) is_complete: bool,
}

/// Maximum number of edits per run.
const MOST: usize = 1000;

struct Text {
    path: PathBuf,
    before: String,
    after: String,
}

struct PermissionEdit {
    path: Beneath,
    seen: Stat,
    after: u32,
}

impl Fixes {
    /// Makes all edits in memory. The rules run again after each step, because two findings may concern the same key.
    pub(crate) fn of(mut session: Session, surroundings: &Surroundings, shows: &dyn Fn(&Finding) -> bool) -> Self {
        let mut fixes = Self::default();
        let mut tried: Vec<Finding> = Vec::new();
        // Stops rules that keep undoing each other's edits.
        let deadline = Deadline::half();
        while fixes.count < MOST && !deadline.is_over() {
            let own = own::find(&session, surroundings.project.as_deref());
            let mut found = look::look(&session, surroundings, &own);
            // An edit that failed or changed nothing is not tried again.
            found.retain(|finding| finding.edit.is_some() && shows(finding) && !tried.contains(finding));
            let mut steps = together(found, MOST - fixes.count);
            if steps.is_empty() {
                fixes.is_complete = true;
                break;
            }
            let mut made = fixes.make(&mut session, &steps, surroundings);
            if made.is_none() && steps.len() > 1 {
                // Any of them can be the reason.
                steps.truncate(1);
                made = fixes.make(&mut session, &steps, surroundings);
            }
            fixes.count += made.unwrap_or_default();
            if made.is_some() && is_of_text(&steps[0]) {
                // The same hook may need another edit, or another hook may now be at its offset.
                tried.retain(|step| step.file != steps[0].file);
            } else {
                tried.extend(steps);
            }
        }
        fixes
    }

    /// Makes steps in one file, and returns the number of steps made.
    fn make(&mut self, session: &mut Session, steps: &[Finding], surroundings: &Surroundings) -> Option<usize> {
        let first = steps.first()?;
        let (path, edit) = (first.file.as_ref()?, first.edit.as_ref()?);
        if !is_of_text(first) {
            return self.mode(edit, path, surroundings).map(|()| 1);
        }
        let edits = steps.iter().filter_map(|step| Some((step.range.start, step.edit.as_ref()?)));
        self.edit(session, path, &edits.collect::<Vec<_>>())
    }

    fn edit(&mut self, session: &mut Session, path: &Path, edits: &[(usize, &Edit)]) -> Option<usize> {
        let source = session.sources.iter_mut().find(|source| source.path == path)?;
        // The text of a non-UTF-8 file differs from its bytes.
        let is_known = self.texts.iter().any(|text| text.path == path);
        if !is_known && bounded::read(path).ok()? != source.text.as_bytes() {
            return None;
        }
        let (after, count) = fixed(source.document.as_ref()?, edits)?;
        let after = after.text().to_owned();
        match self.texts.iter_mut().find(|text| text.path == path) {
            Some(text) => text.after.clone_from(&after),
            None => self.texts.push(Text { path: path.to_owned(), before: source.text.clone(), after: after.clone() }),
        }
        *source = HookFile::of_text(source.scope.clone(), source.path.clone(), after, &Part::Settings);
        Some(count)
    }

    fn mode(&mut self, edit: &Edit, settings: &Path, surroundings: &Surroundings) -> Option<()> {
        let (path, after): (_, fn(u32) -> u32) = match edit {
            // Everyone who may read it may execute it.
            Edit::MakeExecutable(path) => (path, |mode| mode | (mode & 0o444) >> 2),
            Edit::Protect(path) => (path, |mode| mode & !0o002),
            _ => return None,
        };
        let file = within(path, settings, surroundings)?;
        let stat = file.stat().ok()??;
        // A link's target, or another hard link of the file, may be outside.
        if !(stat.is_folder() || stat.is_file() && stat.links == 1) {
            return None;
        }
        let known = self.modes.iter_mut().find(|mode| mode.path.path() == *path);
        if let Some(known) = known {
            let is_new = after(known.after) != known.after;
            known.after = after(known.after);
            return is_new.then_some(());
        }
        // Files of other users are not changed.
        (stat.owner == geteuid().as_raw()).then(|| {
            self.modes.push(PermissionEdit { path: file, after: after(stat.mode), seen: stat });
        })
    }

    /// Returns the diff of all edits.
    pub(crate) fn diff(&self) -> terminal::text::Text {
        let mut diff = String::new();
        for text in &self.texts {
            diff += &unified(&shown(&text.path), &text.before, &text.after);
        }
        for PermissionEdit { path, seen, after } in &self.modes {
            // Writing to a string cannot fail.
            let _ = writeln!(diff, "{}: mode {:o} → {after:o}", shown(&path.path()), seen.mode);
        }
        coloured(&diff)
    }

    /// Returns the changes as JSON rows.
    pub(crate) fn rows(&self) -> Vec<Value> {
        let texts = self.texts.iter().filter_map(|text| {
            let (before, after) = (text.before.as_bytes(), text.after.as_bytes());
            changed_file(&text.path, Some(before), Some(after))
        });
        let modes = self.modes.iter().map(|mode| {
            json!({
                "kind": "changed_mode",
                "file": mode.path.to_string(),
                "before": format!("{:o}", mode.seen.mode),
                "after": format!("{:o}", mode.after),
            })
        });
        texts.chain(modes).collect()
    }

    /// Writes the edits.
    ///
    /// # Errors
    ///
    /// Fails if a file has changed since the diff was made. That file is left unchanged.
    pub(crate) fn write(&self) -> Result<()> {
        let places = self.texts.iter().map(|text| Place::new(scope::kind(&text.path), &text.path, "doctor"));
        let places = places.collect::<Result<Vec<_>>>()?;
        places.iter().try_for_each(Place::check_file)?;
        for (text, place) in self.texts.iter().zip(&places) {
            let (run, file) = (Run::begin(place.area())?, place.file());
            let (before, after) = (Some(text.before.as_bytes()), Some(text.after.as_bytes()));
            ensure!(
                write::replace(&run, &file, place.settings(), before, after)?,
                "{} has changed meanwhile, and was left as it is; run this again",
                text.path.display()
            );
        }
        for mode in &self.modes {
            mode.path
                .set_mode(&mode.seen, mode.after)
                .with_context(|| format!("changing the mode of {}", mode.path))?;
        }
        Ok(())
    }
}

/// Returns the first of several steps, and the steps that can be made together with it: edits of other hooks in the
/// same file.
///
/// A removal depends on other hooks, so it is a separate step.
fn together(steps: Vec<Finding>, most: usize) -> Vec<Finding> {
    let is_of_one_hook = |step: &Finding| is_of_text(step) && step.edit != Some(Edit::RemoveHook);
    let Some(first) = steps.first().cloned() else {
        return Vec::new();
    };
    let mut hooks = BTreeSet::new();
    let is_with_first = |step: &Finding| {
        let is_of_file = step.file == first.file && is_of_one_hook(&first) && is_of_one_hook(step);
        is_of_file && hooks.insert(step.range.start)
    };
    let mut together: Vec<Finding> = steps.into_iter().filter(is_with_first).take(most).collect();
    if together.is_empty() {
        together.push(first);
    }
    together
}

/// Returns the diff of a file's text.
pub(crate) fn unified(name: &str, before: &str, after: &str) -> String {
    let lines = TextDiff::configure().timeout(bounded::TIME).diff_lines(before, after);
    lines.unified_diff().header(name, name).to_string()
}

/// Colours the lines of a diff.
pub(crate) fn coloured(diff: &str) -> terminal::text::Text {
    let mut text = terminal::text::Text::new();
    for line in diff.trim_end().split_inclusive('\n') {
        let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        let style = match line.as_bytes() {
            [b'+', b'+', b'+', b' ', ..] | [b'-', b'-', b'-', b' ', ..] => BOLD,
            [b'+', ..] => ADDED,
            [b'-', ..] => REMOVED,
            [b'@', ..] => NOTE,
            _ => PLAIN,
        };
        text.verbatim(style, line).plain(end);
    }
    text
}

/// Returns the file if its mode may be changed for these settings: it must be in the project or, for the user's
/// settings, in their folder.
fn within(path: &Path, settings: &Path, surroundings: &Surroundings) -> Option<Beneath> {
    let (beneath, root): (fn(&Path) -> Beneath, _) = match scope::kind(settings) {
        PlaceKind::User => (Beneath::user, settings.parent()?),
        _ => (Beneath::project, surroundings.project.as_deref()?),
    };
    Some(beneath(root).join(path.strip_prefix(root).ok()?))
}

/// Returns `true` if an edit of the text fixes the finding.
fn is_of_text(finding: &Finding) -> bool {
    !matches!(finding.edit, None | Some(Edit::MakeExecutable(_) | Edit::Protect(_)))
}
