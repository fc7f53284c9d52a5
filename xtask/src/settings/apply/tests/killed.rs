//! Tests that kill a run at each step, and let the next run repair its leftovers.

use hookkit_protocol::agents::AGENTS;

use super::*;
use crate::agents::script;

#[test]
fn killed_at_any_step_it_leaves_all_whole_and_the_next_run_fixes_it() -> Result<()> {
    // They wait for disks and processes, so they run concurrently.
    thread::scope(|scope| {
        let cases = [
            ("", None, &[][..], "install"),
            ("", Some(OF_THE_USER), &[], "install"),
            ("", Some(OF_THE_USER), &["install"], "renew"),
            ("", None, &["install"], "uninstall"),
            ("", Some(OF_THE_USER), &["install"], "uninstall"),
            ("", None, &["folders"], "everywhere"),
            ("", Some(OF_THE_USER), &["folders", "everywhere"], "uninstall"),
            ("copilot", None, &["install"], "uninstall"),
        ];
        let of_agents = AGENTS.iter().flat_map(|agent| {
            let settings = match agent.id {
                "codex" => OF_CODEX,
                "copilot" => OF_COPILOT,
                "kimi" => OF_KIMI,
                "opencode" => Box::leak(script::empty().into_boxed_str()),
                _ => OF_AGENT,
            };
            [
                (agent.id, None, &[][..], "install"),
                (agent.id, Some(settings), &["install"], "renew"),
                (agent.id, Some(settings), &["install"], "uninstall"),
            ]
        });
        let cases: Vec<_> = cases
            .into_iter()
            .chain(of_agents)
            .map(|(agent, settings, so_far, what)| {
                scope.spawn(move || killed_at_each_step(agent, settings, so_far, what))
            })
            .collect();
        let killed: Result<Vec<usize>> =
            cases.into_iter().map(|case| case.join().expect("it does not panic")).collect();
        eprintln!("{} kills", killed?.iter().sum::<usize>());
        Ok(())
    })
}

/// Kills a run at each of its steps, and completes it both with the same run and with the opposite one. Returns the
/// number of kills. An ordinary `cargo test` kills only at every fifth step.
fn killed_at_each_step(agent: &str, settings: Option<&str>, so_far: &[&str], what: &str) -> Result<usize> {
    let start = || -> Result<Site> {
        let site = Site::of(agent, settings)?;
        so_far.iter().try_for_each(|what| act(what, &site))?;
        Ok(site)
    };
    let bare = || -> Result<Site> {
        let site = Site::of(agent, settings)?;
        let mut folders = so_far.iter().filter(|what| **what == "folders");
        folders.try_for_each(|what| act(what, &site))?;
        Ok(site)
    };
    // Commands in the user's hooks have their own paths.
    let read = |site: &Site| -> Result<Option<String>> {
        Ok(site.read()?.map(|text| text.replace(&site.folder.display().to_string(), "")))
    };
    let (old, done) = (read(&start()?)?, start()?);
    act(what, &done)?;
    let recovered = |site: &Site, by: &str, after: &Site| -> Result<()> {
        act(by, site)?;
        site.check("acme")?;
        ensure!(read(site)? == read(after)?, "by {by}: {:?}", read(site)?);
        ensure!(site.files()? == after.files()?, "by {by}: {:?}", site.files()?);
        Ok(())
    };
    let (mut steps, mut kills) = (0, 0);
    loop {
        let (site, other) = (start()?, start()?);
        let Some(message) = killed(what, &site, steps) else {
            break;
        };
        let faultless = || -> Result<()> {
            let now = read(&site)?;
            ensure!(now == old || now == read(&done)?, "{now:?}");
            site.check("acme")?;
            // The next run, even in another workspace, undoes the unfinished work.
            drop(Locked::new(&site.place("other")?)?);
            let now = read(&site)?;
            ensure!(now == old || now == read(&done)?, "neither the old nor the new file: {now:?}");
            site.check("acme")?;
            recovered(&site, what, &done)?;
            killed(what, &other, steps);
            recovered(&other, "uninstall", &bare()?)
        };
        faultless().with_context(|| format!("{what}, {settings:?}, step {steps}: {message}"))?;
        kills += 1;
        steps += soak::size(5, 1);
    }
    ensure!(steps >= 10, "{what}: {steps}");
    Ok(kills)
}

#[test]
fn what_was_taken_out_by_a_run_that_was_killed_goes_back_unless_the_file_was_written_since() -> Result<()> {
    let site = Site::new(Some(OF_THE_USER))?;
    act("install", &site)?;
    let ours = site.read()?.context("settings")?;
    let newer = OF_THE_USER.replace("opus", "haiku");
    let leave = |text: &str| -> Result<PathBuf> {
        use std::os::unix::fs::MetadataExt;

        let left = site.settings().with_file_name(".settings.json.hookkit-7");
        let journal = json!({
            "run": ".hookkit-7",
            "edit": {"file": site.settings(), "inode": fs::metadata(site.settings())?.ino()},
        });
        site.place("acme")?.notes.write("journal.json", &journal)?;
        fs::write(&left, text)?;
        Ok(left)
    };
    // The text from before our edit.
    leave(OF_THE_USER)?;
    drop(Locked::new(&site.place("acme")?)?);
    assert_eq!(site.read()?.as_deref(), Some(OF_THE_USER));
    act("install", &site)?;
    assert_eq!(site.read()?.as_ref(), Some(&ours));
    // An edit made just before.
    leave(&newer)?;
    drop(Locked::new(&site.place("acme")?)?);
    assert_eq!(site.read()?.as_ref(), Some(&newer));
    // The file was edited since.
    act("install", &site)?;
    let left = leave(OF_THE_USER)?;
    thread::sleep(Duration::from_millis(20));
    let edited = ours.replace("opus", "sonnet");
    fs::write(site.settings(), &edited)?;
    drop(Locked::new(&site.place("acme")?)?);
    assert_eq!(site.read()?.as_ref(), Some(&edited));
    assert!(!left.exists());
    Ok(())
}

#[test]
fn what_goes_with_our_entries_is_reported_once_it_has_gone() -> Result<()> {
    for steps in 0.. {
        let site = Site::new(None)?;
        act("install", &site)?;
        let text = site.read()?.context("settings")?;
        fs::write(site.settings(), text.replacen("\"type\"", "\"note\": 1, \"type\"", 1))?;
        let message = killed("renew", &site, steps).context("there is an edit")?;
        if message.contains("dies at: before the edit") {
            assert!(!message.contains("went with it"), "{message}");
            break;
        }
    }
    Ok(())
}

#[test]
fn a_record_is_read_by_the_settings_that_it_is_about() -> Result<()> {
    let site = Site::new(Some(OF_THE_USER))?;
    let place = site.place("acme")?;
    act("install", &site)?;
    let (first, text) = (Record::read(&place)?.context("a record")?, site.read()?);
    act("renew", &site)?;
    let second = Record::read(&place)?.context("a record")?;
    assert!(second.replaced == Inserted::default() && second.inserted != first.inserted);
    // Killed before it wrote the settings.
    let killed = Record { replaced: first.inserted.clone(), ..second.clone() };
    let settled = |text: &str| {
        let mut record = killed.clone();
        record.settle(&Document::parse(text).expect("it parses"));
        record.inserted
    };
    assert_eq!(settled(&text.context("settings")?), first.inserted);
    assert_eq!(settled(&site.read()?.context("settings")?), second.inserted);
    // Another program rewrote the file: the newer record has the state from before us.
    assert_eq!(settled("{}"), second.inserted);
    Ok(())
}
