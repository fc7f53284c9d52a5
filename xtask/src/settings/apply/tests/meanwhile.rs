//! Tests of runs that interfere with each other or with an editor.

use super::*;

/// Replaces a file like an editor.
fn replace(file: &Path, text: String) {
    let new = file.with_extension("new");
    fs::write(&new, text).expect("it can be written");
    fs::rename(new, file).expect("it can be written");
}

#[test]
fn what_is_written_in_the_last_instant_is_not_lost() -> Result<()> {
    for (instant, what) in [
        ("before the edit", "install"),
        ("before the last look", "install"),
        ("the last look", "install"),
        ("the last look", "uninstall"),
        ("the exchange", "install"),
    ] {
        let site = Site::new(Some(OF_THE_USER))?;
        if what == "uninstall" {
            act("install", &site)?;
        }
        let settings = site.settings();
        let edit = move || {
            let text = fs::read_to_string(&settings).expect("it is there");
            replace(&settings, text.replace("opus", "haiku"));
        };
        act_while(what, &site, faults::first(instant, edit))?;
        let is_edited = site.read()?.is_some_and(|text| text.contains("haiku"));
        assert!(is_edited, "{what}, {instant}");
        site.check("acme")?;
        act("uninstall", &site)?;
        let expected = Some(OF_THE_USER.replace("opus", "haiku"));
        assert_eq!(site.read()?, expected, "{what}, {instant}");
        assert_eq!(site.files()?, ["/.claude", "/.claude/settings.json"]);
    }
    Ok(())
}

/// An editor that writes repeatedly, or that removes the file for a moment (like vim), finds its last version.
#[test]
fn what_is_written_while_a_file_goes_back_is_not_lost() -> Result<()> {
    // The editor's action at each step; the last text counts.
    let (look, exchange, back) = ("the last look", "the exchange", "the exchange back");
    let (one, two, remove) = (Some("one"), Some("two"), None);
    for meanwhile in [
        vec![(look, one), (exchange, remove)],
        vec![(look, one), (exchange, two)],
        vec![(look, one), (exchange, two), (back, Some("three"))],
        vec![(look, one), (exchange, two), (back, remove)],
        vec![(look, remove)],
        vec![("before the last look", remove)],
    ] {
        let site = Site::new(Some(OF_THE_USER))?;
        let last = meanwhile.iter().filter_map(|(_, text)| *text).next_back();
        let (settings, mut to_do) = (site.settings(), meanwhile.clone().into_iter().peekable());
        let edit = move |step: &str| match to_do.next_if(|(instant, _)| *instant == step) {
            None => {}
            Some((_, None)) => fs::remove_file(&settings).expect("it is there"),
            Some((_, Some(text))) => replace(&settings, OF_THE_USER.replace("opus", text)),
        };
        act_while("install", &site, edit).with_context(|| format!("{meanwhile:?}"))?;
        site.check("acme")?;
        assert_eq!(named(&site.read()?.unwrap_or_default(), &site.place("acme")?).len(), 3);
        act("uninstall", &site)?;
        let expected = last.map(|last| OF_THE_USER.replace("opus", last));
        assert_eq!(site.read()?, expected, "{meanwhile:?}");
        let left = ["/.claude", "/.claude/settings.json"];
        assert_eq!(site.files()?, left[..=usize::from(last.is_some())], "{meanwhile:?}");
    }
    Ok(())
}

#[test]
fn a_file_that_goes_while_it_is_taken_away_is_gone() -> Result<()> {
    let site = Site::new(None)?;
    act("install", &site)?;
    let settings = site.settings();
    act_while("uninstall", &site, move |step| {
        if step == "before the edit" {
            // There is an edit of a different file, too.
            let _ = fs::remove_file(&settings);
        }
    })?;
    assert!(site.files()?.is_empty(), "{:?}", site.files()?);
    Ok(())
}

#[test]
fn what_the_client_would_drop_is_refused_under_the_lock_too() -> Result<()> {
    // The second time, an editor spoils it at the last moment.
    for before in [COMMENTED, OF_THE_USER] {
        let site = Site::new(Some(before))?;
        let settings = site.settings();
        let spoil = move || fs::write(settings, COMMENTED).expect("it can be written");
        let message = faults::during(faults::first("before the last look", spoil), || refused("install", &site))?;
        assert!(message.contains("--force"), "{message}");
        assert_eq!(site.read()?.as_deref(), Some(COMMENTED));
        assert_eq!(site.files()?, ["/.claude", "/.claude/settings.json"]);
    }
    Ok(())
}

/// Some editors truncate a file before they write it.
#[test]
fn who_is_writing_meanwhile_is_waited_for() -> Result<()> {
    for spoilt in ["", "{\n  \"model\""] {
        let site = Site::new(Some(spoilt))?;
        let settings = site.settings();
        let write = move || fs::write(settings, OF_THE_USER).expect("it can be written");
        act_while("install", &site, faults::first("a file that is not understood", write))?;
        act("uninstall", &site)?;
        assert_eq!(site.read()?.as_deref(), Some(OF_THE_USER));
    }
    Ok(())
}

/// A step after the edit can fail, too. In that case, the entries are already there.
#[test]
fn what_fails_behind_the_edit_takes_no_binary_away() -> Result<()> {
    let site = Site::new(None)?;
    let place = site.place("acme")?;
    let record = place.notes.path(&place.record()).context("there is a folder")?;
    let spoil = move |step: &str| {
        if step == "a new file" {
            fs::remove_file(&record).expect("it is there");
            fs::create_dir_all(record.join("in the way")).expect("a folder");
        }
    };
    assert!(act_while("install", &site, spoil).is_err());
    let place = site.place("acme")?;
    assert!(place.has_binary("a") && named(&site.read()?.context("settings")?, &place).contains("a"));
    Ok(())
}

#[test]
fn a_running_binary_is_replaced() -> Result<()> {
    let site = Site::new(None)?;
    act("install", &site)?;
    let binary = site.place("acme")?.binary("b").path();
    fs::remove_file(&binary)?;
    // In another process: a concurrent test may fork while the file is open, and then it could not be executed.
    assert!(Command::new("cp").arg("/bin/sleep").arg(&binary).status()?.success());
    let mut running = Command::new(&binary).arg("30").spawn()?;
    let installed = act("renew", &site);
    running.kill()?;
    running.wait()?;
    installed?;
    site.check("acme")
}

/// Repeats a run that fails because an editor was faster each time, as on a busy machine.
fn patiently<T>(run: impl Fn() -> Result<T>) -> Result<T> {
    let is_outrun = |done: &Result<T>| {
        let refused = done.as_ref().err().map(ToString::to_string);
        refused.is_some_and(|refused| refused.contains("another program keeps writing"))
    };
    let mut runs = (0..100).map(|_| run());
    runs.find(|done| !is_outrun(done)).unwrap_or_else(run)
}

/// Two workspaces install and uninstall hooks, an editor counts, and a reader watches.
#[test]
fn two_installs_an_editor_and_a_reader_do_not_disturb_each_other() -> Result<()> {
    let first = "{\n  \"counter\": 0,\n  \"hooks\": {\"Stop\": [{\"hooks\": []}]}\n}\n";
    let site = &Site::new(Some(first))?;
    let (is_done, counted) = (&AtomicBool::new(false), &AtomicU64::new(0));
    let parsed = || -> Result<Value> { Ok(serde_json::from_slice(&fs::read(site.settings())?)?) };
    let counter = move || -> Result<u64> { parsed()?["counter"].as_u64().context("the editor's own member") };
    thread::scope(|scope| -> Result<()> {
        let come_and_go = |workspace: &'static str| {
            move || -> Result<()> {
                for round in soak::rounds(10, 100) {
                    patiently(|| site.install(workspace, &["a", "b"], &format!("round {round}")))?;
                    patiently(|| site.uninstall(workspace))?;
                }
                Ok(())
            }
        };
        let installs = [scope.spawn(come_and_go("one")), scope.spawn(come_and_go("two"))];
        let editor = scope.spawn(move || -> Result<()> {
            let new = site.settings().with_extension("new");
            while !is_done.load(Ordering::Relaxed) {
                let last = counted.load(Ordering::Relaxed);
                // A file that is restored after a swap is missing for a moment.
                while counter()? != last && !is_done.load(Ordering::Relaxed) {
                    thread::sleep(Duration::from_millis(2));
                }
                let text = fs::read_to_string(site.settings())?;
                let next = text.replace(&format!("\"counter\": {last}"), &format!("\"counter\": {}", last + 1));
                if next == text {
                    continue;
                }
                fs::write(&new, next)?;
                fs::rename(&new, site.settings())?;
                counted.store(last + 1, Ordering::Relaxed);
                thread::sleep(Duration::from_millis(2));
            }
            Ok(())
        });
        let reader = scope.spawn(move || -> Result<()> {
            while !is_done.load(Ordering::Relaxed) {
                let settings = parsed()?;
                ensure!(
                    settings["counter"].is_u64() && settings["hooks"]["Stop"] == json!([{"hooks": []}]),
                    "{settings}"
                );
                thread::sleep(Duration::from_micros(200));
            }
            Ok(())
        });
        let join = |thread: thread::ScopedJoinHandle<'_, Result<()>>| thread.join().expect("it does not panic");
        let installed = installs.map(join);
        is_done.store(true, Ordering::Relaxed);
        [join(editor), join(reader)].into_iter().chain(installed).collect()
    })?;
    assert_eq!(counter()?, counted.load(Ordering::Relaxed));
    assert!(counter()? > 10, "the editor edited");
    // The editor may have written entries that had just been removed.
    for workspace in ["one", "two"] {
        site.install(workspace, &["a", "b"], "the last")?;
    }
    for workspace in ["one", "two"] {
        site.check(workspace)?;
        assert_eq!(named(&site.read()?.unwrap_or_default(), &site.place(workspace)?).len(), 2);
    }
    for workspace in ["one", "two"] {
        site.uninstall(workspace)?;
    }
    assert_eq!(parsed()?, json!({"counter": counted.load(Ordering::Relaxed), "hooks": {"Stop": [{"hooks": []}]}}));
    assert_eq!(site.files()?, ["/.claude", "/.claude/settings.json"]);
    Ok(())
}
