//! A project that runs much, and changes of a branch that each run something else.

use std::fs::{File, Permissions};

use hookkit_tests::hostile::HOSTILE;
use hookkit_tests::prelude::*;

pub(super) const LIST: &str = ".claude/hookkit.reviewed";
pub(super) const SETTINGS: &str = ".claude/settings.json";

fn table() -> Lines<'static> {
    lines!("lines/reviewed.txt")
}

/// A project with hooks of all kinds, each with a script.
pub(super) fn project() -> Result<Project> {
    let project = Project::new()?;
    project.write_files(table().section("the project"))?;
    mode(&project, ".claude/hooks/common.sh", 0o755)?;
    Ok(project)
}

/// Replaces a text of a file.
pub(super) fn edit(project: &Project, path: &str, from: &str, to: &str) -> Result<()> {
    let text = project.read(path)?;
    ensure!(text.contains(from), "{path}: {text}");
    project.write(path, text.replace(from, to))
}

type Change = Box<dyn Fn(&Project) -> Result<()> + Sync>;

/// A change of a branch, and the file and the part that `verify` names.
pub(super) struct Variant {
    pub(super) name: String,
    pub(super) change: Change,
    pub(super) named: [String; 2],
}

fn variant([name, line, part]: [&str; 3], change: impl Fn(&Project) -> Result<()> + Sync + 'static) -> Variant {
    Variant { name: name.to_owned(), change: Box::new(change), named: [line, part].map(str::to_owned) }
}

pub(super) fn variants() -> Vec<Variant> {
    let mut variants = Vec::new();
    for row in &table().section("a change in Rust").rows {
        let ([name, part], of) = (row.fields(), row.expected[0].clone());
        variants.push(variant([name, &row.line, part], move |p| compute(&of, p)));
    }
    for row in &table().section("a text of a file is replaced").rows {
        let [name, line, part, file, from] = row.fields();
        let [file, from, to] = [file, from, &row.line].map(|text| text.replace("BOM", "\u{feff}"));
        variants.push(variant([name, line, part], move |p| edit(p, &file, &from, &to)));
    }
    for row in &table().section("a file is written").rows {
        let [name, line, part, file] = row.fields();
        let [file, text] = [file, &row.line].map(str::to_owned);
        variants.push(variant([name, line, part], move |p| p.write(&file, &text)));
    }
    variants
}

/// Sets the mode of a file.
fn mode(project: &Project, path: &str, mode: u32) -> Result<()> {
    let path = project.path().join(path);
    Ok(fs::set_permissions(path, Permissions::from_mode(mode))?)
}

/// Puts a link in place of a file.
fn link(project: &Project, path: &str, target: &str) -> Result<()> {
    let path = project.path().join(path);
    fs::remove_file(&path)?;
    Ok(symlink(target, path)?)
}

/// Makes one of the changes that are computed.
fn compute(name: &str, p: &Project) -> Result<()> {
    match name {
        "a link out in place of a script" => link(p, ".claude/hooks/guard.sh", "/etc/passwd"),
        "an execute bit less" => mode(p, ".claude/hooks/common.sh", 0o644),
        "a link to a copy of a script" => {
            p.write("copy.sh", p.read(".claude/hooks/guard.sh")?)?;
            link(p, ".claude/hooks/guard.sh", "../../copy.sh")
        }
        "a link to another script" => {
            p.write("other.sh", "evil")?;
            link(p, "tools/db.py", "../other.sh")
        }
        "a link out in place of a folder" => {
            fs::rename(p.path().join(".claude/hooks"), p.path().join("hooks"))?;
            Ok(symlink("../../outside", p.path().join(".claude/hooks"))?)
        }
        "a pipe in place of settings" => {
            let file = p.path().join("web/.claude/settings.json");
            fs::remove_file(&file)?;
            ensure!(Command::new("mkfifo").arg(file).status()?.success());
            Ok(())
        }
        "a script without end" => Ok(File::create(p.path().join("tools/db.py"))?.set_len(1 << 40)?),
        "a long value" => p.write(SETTINGS, format!("{{\"a\": \"{}\"}}", "x".repeat(1 << 17))),
        "settings that are not UTF-8" => p.write("web/.claude/settings.json", b"{\"apiKeyHelper\": \"\xff\"}"),
        "a name that steers a terminal" => {
            let name = Value::from(HOSTILE);
            edit(p, SETTINGS, "\"env\":{", &format!("\"env\":{{{name}:\"1\","))
        }
        "a longer list" => {
            let list = p.read(LIST)?;
            p.write(LIST, format!("{list}.claude/settings.json hooks.Stop {{}}\n"))
        }
        "a shorter list" => {
            let list = p.read(LIST)?;
            let lines: Vec<&str> = list.lines().filter(|line| !line.contains("guard.sh file")).collect();
            p.write(LIST, lines.join("\n"))
        }
        _ => bail!("no change `{name}`"),
    }
}
