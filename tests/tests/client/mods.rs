//! Mods in the real client, and what `doctor` and `list` report of them before the session.

use std::sync::Mutex;

use hookkit_tests::mods;
use hookkit_tests::mods::{Case, Played};
use hookkit_tests::prelude::*;

#[test]
fn managed_settings_keep_mods_from_guards() -> Result<()> {
    let played = Record::<Played>::read("mods")?.rows;
    let cases = mods::cases()?;
    let held: Vec<&Case> = cases.iter().filter(|case| case.is_held() && case.has_guard()).collect();
    assert!(held.len() > 10, "{}", held.len());
    for case in held {
        let played = &played[&case.key];
        assert!(!played.ran || played.mods.is_empty(), "{}: {played:?}", case.key);
    }
    Ok(())
}

#[test]
fn doctor_and_list_name_each_mod_that_acts_before_the_session() -> Result<()> {
    let client = client!("doctor_and_list_name_each_mod_that_acts_before_the_session");
    let played = Record::<Played>::read("mods")?.rows;
    let wrong = Mutex::new(Vec::new());
    parallel::each(3, mods::cases()?.into_iter().filter(Case::is_in_files), |case| {
        let Some(ground) = case.ground(&client, "http://127.0.0.1:9")? else {
            return Ok(());
        };
        let played = &played[&case.key];
        // A client that refuses its managed settings starts no session.
        if played.exit_code != Some(0) {
            return Ok(());
        }
        let acts = !played.mods.is_empty() && !case.is_held();
        let found = |arguments: &[&str]| -> Result<Vec<Value>> {
            let mut xtask = command(&ground.home, arguments)?;
            xtask.args(["--json", "--project"]).arg(&ground.folder);
            if let Some(managed) = &ground.managed {
                let mut covered = managed.covering();
                covered.arg(xtask.get_program()).args(xtask.get_args());
                covered.envs(xtask.get_envs().filter_map(|(name, value)| Some((name, value?))));
                covered.current_dir(&ground.home);
                xtask = covered;
            }
            let xtask = xtask.env("CLAUDE_CONFIG_DIR", &ground.config).env("HOME", &ground.home);
            rows(str::from_utf8(&xtask.output()?.stdout)?)
        };
        let found = found(&["doctor"])?;
        let severe: Vec<&Value> = found.iter().filter(|row| row["code"] == "mod-skips-hooks").collect();
        let names_module = severe.iter().any(|row| row["file"].to_string().contains("/evil/"));
        if acts != names_module || !acts && !severe.is_empty() {
            let mut wrong = wrong.lock().expect("no case holds it");
            wrong.push(format!("{}: acts: {acts}; {severe:?}", case.key));
        }
        Ok(())
    })?;
    let wrong = wrong.into_inner()?;
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}
