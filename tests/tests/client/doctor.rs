//! The client makes of the broken settings files what their expectations say.

use std::fs;

use anyhow::{Context, Result};
use hookkit_tests::broken::{Made, expected, folder as fixtures};
use hookkit_tests::{World, client};
use serde_json::{Value, json};

#[test]
fn the_client_makes_the_same_of_them() -> Result<()> {
    let Some(client) = client::require("the_client_makes_the_same_of_them") else {
        return Ok(());
    };
    let asked: Vec<(String, Made)> = expected()?
        .into_iter()
        .filter_map(|(name, expected)| Some((name, expected.client?)))
        .collect();
    let mut wrong = Vec::new();
    // The client reads three files in one session.
    for cases in asked.chunks(3) {
        let world = World::new()?;
        let files = [
            world.project.path().join(".claude/settings.json"),
            world.project.path().join(".claude/settings.local.json"),
            world.user.path().join("settings.json"),
        ];
        fs::create_dir_all(world.project.path().join(".claude"))?;
        for ((name, _), file) in cases.iter().zip(&files) {
            fs::copy(fixtures().join(format!("{name}.json")), file)?;
        }
        let output = world
            .doctor(&["--client", "--json", "--client-binary"])?
            .arg(&client)
            .output()?;
        let answer: Value = serde_json::from_slice(&output.stdout)
            .with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
        for ((name, expected), file) in cases.iter().zip(&files) {
            let of = |key: &str, list: &str| -> Vec<Value> {
                let rows = answer[list].as_array().into_iter().flatten();
                let rows = rows.filter(|row| row[key] == json!(file));
                rows.cloned().collect()
            };
            let hooks = of("file", "handlers");
            let is_read = of("path", "files").iter().any(|file| file["read"] != false);
            let any = |is: &dyn Fn(&Value) -> bool| hooks.iter().any(is);
            let made = match () {
                () if !is_read => Made::DropsFile,
                () if any(&|hook| hook["fired"] != 0) => Made::Runs,
                () if any(&|hook| hook["registered"] == true) => Made::NeverRuns,
                () => Made::DropsHook,
            };
            if made != *expected {
                wrong.push(format!("{name}: {made:?}, not {expected:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}
