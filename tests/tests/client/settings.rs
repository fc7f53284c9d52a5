//! The client reads settings files as the checker reports, and those that `install` has edited.

use std::sync::atomic::{AtomicUsize, Ordering};

use hookkit_tests::prelude::*;
use hookkit_tests::record::Asked;
use hookkit_tests::settings;

#[test]
fn the_client_reads_each_file_as_the_checker_reports() -> Result<()> {
    let client = client!("the_client_reads_each_file_as_the_checker_reports");
    let asked = Asked::of("settings")?;
    if asked.before("each file", &[])? {
        return Ok(());
    }
    let (recorded, read) = (settings::recorded()?, settings::read(&client)?);
    assert_eq!(recorded.len(), read.len());
    let differ = recorded.iter().filter(|(name, recorded)| read.get(*name) != Some(recorded));
    let wrong = differ.map(|(name, recorded)| format!("{name}: {:?}, not {recorded:?}", read.get(name)));
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    asked.keep()
}

/// The number of real files that are tested.
const SAMPLE: usize = 25;

/// Removes from a public settings file whatever has effects outside of the test: commands, variables, plugins and URLs.
fn harmless(settings: &mut Value) {
    match settings {
        Value::Array(list) => list.iter_mut().for_each(harmless),
        Value::Object(object) => {
            for (key, value) in object {
                match (key.as_str(), &*value) {
                    ("command" | "apiKeyHelper" | "awsAuthRefresh" | "awsCredentialExport", Value::String(_)) => {
                        *value = json!("true");
                    }
                    // They may change the client's folders and servers.
                    ("env", Value::Object(_)) => *value = json!({}),
                    ("enabledPlugins" | "extraKnownMarketplaces", Value::Object(_)) => *value = json!({}),
                    ("url", Value::String(_)) => *value = json!("http://127.0.0.1:9/"),
                    _ => harmless(value),
                }
            }
        }
        _ => {}
    }
}

/// Uses public settings files, if a copy of the collection is available.
#[test]
fn real_files_that_install_accepts_are_read_by_the_client() -> Result<()> {
    const NAME: &str = "real_files_that_install_accepts_are_read_by_the_client";
    let folder = repository().join("../shared/corpus/settings");
    let Ok(files) = fs::read_dir(&folder) else {
        eprintln!("skipped: {NAME}: no {}", folder.display());
        return Ok(());
    };
    let client = client!(NAME);
    let mut files: Vec<_> = files.map(|file| Ok(file?.path())).collect::<Result<_>>()?;
    files.sort();
    let played = AtomicUsize::new(0);
    // A few more may be played: files of the sample are refused while others are played.
    parallel::each(2, files, |file| {
        let Ok(mut settings) = serde_json::from_slice::<Value>(&fs::read(&file)?) else {
            return Ok(());
        };
        if played.load(Ordering::Relaxed) >= SAMPLE || settings["disableAllHooks"] == true {
            return Ok(());
        }
        harmless(&mut settings);
        let project = Project::new()?;
        project.write(".claude/settings.json", serde_json::to_string_pretty(&settings)?)?;
        let install = ["install", "--pack", "attend-hooks", "--project", text(project.path())?];
        if !xtask(fixture()?, &install)?.status.success() {
            return Ok(());
        }
        played.fetch_add(1, Ordering::Relaxed);
        let outcome = Session::new(&client, project.path()).go()?;
        let responses = outcome.hook_responses();
        let has_run = responses.iter().any(|response| response.stdout.contains("attended"));
        ensure!(has_run, "{}:\n{}", file.display(), outcome.debug());
        Ok(())
    })?;
    let played = played.into_inner();
    assert!(played >= SAMPLE, "{played} files");
    Ok(())
}
