//! Builds the launchers (one binary per hook, with one line of code), and the program that contains several hooks.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::binaries::definition::Definition;
use crate::binaries::generated::{Binary, Build, LAUNCHERS, PROGRAM, binary_name};
use crate::binaries::link::Link;
use crate::binaries::manifests::{FAST, Part, part_file, part_of, part_of_order};
use crate::disk::files;

impl Build<'_> {
    /// Builds a binary for each hook. Returns their bytes by hook name.
    pub(crate) fn binaries(&self, hooks: &[Definition]) -> Result<BTreeMap<String, Vec<u8>>> {
        self.launchers(hooks)?.into_iter().map(|(hook, path)| Ok((hook, files::bytes(&path)?))).collect()
    }

    /// Builds a binary for each hook. Returns their paths by hook name.
    pub(crate) fn launchers(&self, hooks: &[Definition]) -> Result<BTreeMap<String, PathBuf>> {
        if hooks.is_empty() {
            return Ok(BTreeMap::new());
        }
        let packs = self.workspace.packs.iter();
        let orders = hooks
            .iter()
            .filter(|hook| !hook.members.is_empty())
            .map(|order| Part::of_order(LAUNCHERS, order, &self.workspace.packs));
        let parts: Vec<Part<'_>> = packs.map(|pack| Part::of_pack(LAUNCHERS, pack)).chain(orders).collect();
        let part = |hook: &Definition| {
            if hook.members.is_empty() {
                part_of(LAUNCHERS, &hook.declared.package)
            } else {
                part_of_order(LAUNCHERS, &hook.declared.name)
            }
        };
        for hook in hooks {
            // cargo finds a package's binaries by their files. Files of other hooks may be there, but are not built.
            let file = format!("src/bin/{}.rs", binary_name(hook));
            let record = self.recording.as_ref().map(|recording| recording.statements(hook));
            let answer = self.agent.map(|agent| {
                let table = agent.id.to_uppercase();
                format!("    hookkit::__private::answer_agent(&hookkit::__private::agents::{table});\n")
            });
            let statements: String = record.into_iter().chain(answer).collect();
            let launcher = match &*statements {
                "" => hook.launcher(),
                _ => format!("fn main() {{\n{statements}    hook::main();\n}}\n\nmod hook {{\n{}}}\n", hook.launcher()),
            };
            self.write(&part_file(LAUNCHERS, &part(hook), &file), &launcher)?;
        }
        self.manifests(LAUNCHERS, FAST, &parts)?;
        let packs = hooks.iter().flat_map(Definition::packages);
        let launched = self.with_hooks(packs.collect());
        let mut launchers = BTreeMap::new();
        for link in [Link::StaticMusl, Link::StaticGlibc, Link::Dynamic] {
            let hooks: Vec<&Definition> = hooks.iter().filter(|hook| self.link(hook) == link).collect();
            if hooks.is_empty() {
                continue;
            }
            let binaries: Vec<Binary> =
                hooks.iter().map(|hook| Binary { part: part(hook), name: binary_name(hook) }).collect();
            let mut built = self.cargo(LAUNCHERS, link, &binaries, &launched)?;
            for (hook, binary) in hooks.iter().zip(&binaries) {
                let binary = built
                    .remove(&binary.name)
                    .with_context(|| format!("cargo built no binary for `{}`", hook.declared.name))?;
                launchers.insert(hook.declared.name.clone(), binary);
            }
        }
        Ok(launchers)
    }

    /// Builds one program with all `hooks`; its first argument selects the hook. Returns its bytes.
    ///
    /// The program depends only on the packs of these hooks, so other packs need not compile for its platform.
    pub(crate) fn program(&self, hooks: &[Definition]) -> Result<Vec<u8>> {
        let (mut modules, mut table) = (String::new(), String::new());
        for (number, hook) in hooks.iter().enumerate() {
            let file = binary_name(hook);
            self.write(&format!("{PROGRAM}/src/{file}.rs"), &hook.launcher())?;
            modules += &format!("#[path = \"{file}.rs\"]\nmod hook_{number};\n");
            table += &format!("        ({:?}, hook_{number}::main),\n", hook.declared.name);
        }
        let main = format!("fn main() {{\n    hookkit::__private::run_named(&[\n{table}    ])\n}}\n");
        self.write(&format!("{PROGRAM}/src/main.rs"), &format!("{modules}\n{main}"))?;
        let packs: BTreeSet<&str> = hooks.iter().map(|hook| hook.declared.package.as_str()).collect();
        let needed = self.workspace.packs.iter().filter(|pack| packs.contains(pack.package.as_str()));
        self.manifest(PROGRAM, FAST, needed, "")?;
        let mut built = self.cargo(PROGRAM, self.link, &[], &self.with_hooks(packs))?;
        files::bytes(&built.remove(PROGRAM).context("cargo built no program")?)
    }
}
