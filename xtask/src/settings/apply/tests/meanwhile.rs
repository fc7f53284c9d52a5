//! Runs that are in each other's way, or in that of an editor.

use super::*;

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
        let (settings, mut is_written) = (site.settings(), false);
        faults::meanwhile(move |step| {
            if step == instant && !is_written {
                is_written = true;
                let edited = fs::read_to_string(&settings).map(|text| text.replace("opus", "haiku"));
                let new = settings.with_extension("new");
                let written = edited.and_then(|edited| fs::write(&new, edited));
                written
                    .and_then(|()| fs::rename(&new, &settings))
                    .expect("it can be written");
            }
        });
        act(what, &site)?;
        faults::meanwhile(|_| {});
        assert!(
            site.read()?.is_some_and(|text| text.contains("haiku")),
            "{what}, {instant}"
        );
        site.check("acme")?;
        act("uninstall", &site)?;
        assert_eq!(
            site.read()?,
            Some(OF_THE_USER.replace("opus", "haiku")),
            "{what}, {instant}"
        );
        assert_eq!(site.files()?, ["/.claude", "/.claude/settings.json"]);
    }
    Ok(())
}

/// An editor that writes again and again, or takes the file away for an instant, as vim does, finds its last version.
#[test]
fn what_is_written_while_a_file_goes_back_is_not_lost() -> Result<()> {
    // What the editor does at which step; the last text counts.
    let remove = None;
    for meanwhile in [
        vec![("the last look", Some("one")), ("the exchange", remove)],
        vec![("the last look", Some("one")), ("the exchange", Some("two"))],
        vec![
            ("the last look", Some("one")),
            ("the exchange", Some("two")),
            ("the exchange back", Some("three")),
        ],
        vec![
            ("the last look", Some("one")),
            ("the exchange", Some("two")),
            ("the exchange back", remove),
        ],
        vec![("the last look", remove)],
        vec![("before the last look", remove)],
    ] {
        let site = Site::new(Some(OF_THE_USER))?;
        let last = meanwhile.iter().filter_map(|(_, text)| *text).next_back();
        let (settings, mut to_do) = (site.settings(), meanwhile.clone().into_iter().peekable());
        faults::meanwhile(move |step| {
            let Some((_, text)) = to_do.next_if(|(instant, _)| *instant == step) else {
                return;
            };
            let new = settings.with_extension("new");
            let done = match text {
                None => fs::remove_file(&settings),
                Some(text) => {
                    fs::write(&new, OF_THE_USER.replace("opus", text)).and_then(|()| fs::rename(&new, &settings))
                }
            };
            done.expect("it can be written");
        });
        let installed = act("install", &site);
        faults::meanwhile(|_| {});
        installed.with_context(|| format!("{meanwhile:?}"))?;
        site.check("acme")?;
        assert_eq!(named(&site.read()?.unwrap_or_default(), &site.place("acme")?).len(), 3);
        act("uninstall", &site)?;
        assert_eq!(
            site.read()?,
            last.map(|last| OF_THE_USER.replace("opus", last)),
            "{meanwhile:?}"
        );
        let left = if last.is_some() {
            &["/.claude", "/.claude/settings.json"][..]
        } else {
            &["/.claude"]
        };
        assert_eq!(site.files()?, left, "{meanwhile:?}");
    }
    Ok(())
}

#[test]
fn a_file_that_goes_while_it_is_taken_away_is_gone() -> Result<()> {
    let site = Site::new(None)?;
    act("install", &site)?;
    let settings = site.settings();
    faults::meanwhile(move |step| {
        if step == "before the edit" {
            // There is an edit of another file, too.
            let _ = fs::remove_file(&settings);
        }
    });
    let uninstalled = act("uninstall", &site);
    faults::meanwhile(|_| {});
    uninstalled?;
    assert!(site.files()?.is_empty(), "{:?}", site.files()?);
    Ok(())
}

#[test]
fn what_the_client_would_drop_is_refused_under_the_lock_too() -> Result<()> {
    let site = Site::new(Some(COMMENTED))?;
    let refused = act("install", &site).map_err(|err| err.to_string());
    assert!(refused.is_err_and(|message| message.contains("--force")));
    assert_eq!(site.read()?.as_deref(), Some(COMMENTED));
    assert_eq!(site.files()?, ["/.claude", "/.claude/settings.json"]);
    // An editor spoils it in the last instant.
    let site = Site::new(Some(OF_THE_USER))?;
    let settings = site.settings();
    faults::meanwhile(move |step| {
        if step == "before the last look" {
            fs::write(&settings, COMMENTED).expect("it can be written");
        }
    });
    let refused = act("install", &site).map_err(|err| err.to_string());
    faults::meanwhile(|_| {});
    assert!(refused.is_err_and(|message| message.contains("--force")));
    assert_eq!(site.read()?.as_deref(), Some(COMMENTED));
    assert_eq!(site.files()?, ["/.claude", "/.claude/settings.json"]);
    Ok(())
}

/// Some editors empty a file first, and then write it.
#[test]
fn who_is_writing_meanwhile_is_waited_for() -> Result<()> {
    for spoilt in ["", "{\n  \"model\""] {
        let site = Site::new(Some(spoilt))?;
        let settings = site.settings();
        faults::meanwhile(move |step| {
            if step == "a file that is not understood" {
                fs::write(&settings, OF_THE_USER).expect("it can be written");
            }
        });
        let installed = act("install", &site);
        faults::meanwhile(|_| {});
        installed?;
        act("uninstall", &site)?;
        assert_eq!(site.read()?.as_deref(), Some(OF_THE_USER));
    }
    Ok(())
}

/// A step behind an edit can fail, too: the entries are there by then.
#[test]
fn what_fails_behind_the_edit_takes_no_binary_away() -> Result<()> {
    let site = Site::new(None)?;
    let place = site.place("acme")?;
    let record = place
        .notes
        .path(&place.record())
        .context("there is a folder for notes")?;
    faults::meanwhile(move |step| {
        if step == "a new file" {
            fs::remove_file(&record)
                .and_then(|()| fs::create_dir_all(record.join("in the way")))
                .expect("it is there");
        }
    });
    let installed = act("install", &site);
    faults::meanwhile(|_| {});
    assert!(installed.is_err());
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
    // In another process: a test next to this one may fork while the file is open, and it could not be run meanwhile.
    assert!(Command::new("cp").arg("/bin/sleep").arg(&binary).status()?.success());
    let mut running = Command::new(&binary).arg("30").spawn()?;
    let installed = act("renew", &site);
    running.kill()?;
    running.wait()?;
    installed?;
    site.check("acme")
}

/// Repeats a run that is refused because an editor was faster each time, as on a busy machine.
fn patiently<T>(run: impl Fn() -> Result<T>) -> Result<T> {
    let is_outrun = |done: &Result<T>| {
        let refused = done.as_ref().err().map(ToString::to_string);
        refused.is_some_and(|refused| refused.contains("another program keeps writing"))
    };
    let mut runs = (0..100).map(|_| run());
    runs.find(|done| !is_outrun(done)).unwrap_or_else(run)
}

/// Two workspaces come and go, an editor counts, and a reader looks on.
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
                // What is put back after an exchange is away for an instant.
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
    // The editor may have written down entries that had just been taken out.
    for workspace in ["one", "two"] {
        site.install(workspace, &["a", "b"], "the last")?;
    }
    for workspace in ["one", "two"] {
        site.check(workspace)?;
        assert_eq!(
            named(&site.read()?.unwrap_or_default(), &site.place(workspace)?).len(),
            2
        );
    }
    for workspace in ["one", "two"] {
        site.uninstall(workspace)?;
    }
    assert_eq!(
        parsed()?,
        json!({"counter": counted.load(Ordering::Relaxed), "hooks": {"Stop": [{"hooks": []}]}})
    );
    assert_eq!(site.files()?, ["/.claude", "/.claude/settings.json"]);
    Ok(())
}
