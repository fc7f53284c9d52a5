//! Tests with a checkout that contains links, devices and records in place of the files written by `install`.

use std::sync::Arc;

use rustix::fs::{CWD, RenameFlags, renameat_with};
use test_support::obstacles::{self, State};

use super::*;

/// Obstacles that can replace a file or folder.
const OBSTACLES: [&str; 14] = [
    "a link to a folder outside", "a link to a file outside", "a link by a relative path",
    "a link to the folder above", "a link to the root", "a link that leads nowhere", "a link to itself",
    "a link to /dev/zero", "a link to /dev/stdin", "a hard link to a file outside", "a pipe", "a folder", "a file",
    "a file without permissions",
];

/// Paths below the settings folder, in this and other versions.
const COMPONENTS: [&str; 15] = [
    "", "settings.json", "settings.local.json", ".settings.json.hookkit-7", "hookkit.sh", "hookkit",
    "hookkit/.gitignore", "hookkit/.hookkit-7", "hookkit/lock", "hookkit/created.json", "hookkit/NAME",
    "hookkit/NAME/record.json", "hookkit/NAME/built", "hookkit/NAME/bin", "hookkit/NAME/bin/a",
];

/// Returns the folder outside the project that no run may change.
fn outside(site: &Site) -> PathBuf {
    site.folder.join("outside")
}

fn make_outside(site: &Site) -> Result<()> {
    let outside = outside(site);
    for folder in ["bin", "hookkit/acme/bin", "acme/bin", "empty"] {
        fs::create_dir_all(outside.join(folder))?;
    }
    for file in [
        "file", "a", "bin/a", "lock", "record.json", "created.json", ".gitignore", "settings.json",
        "settings.local.json", ".hookkit-7", "bin/.hookkit-7.new", "hookkit/acme/bin/a", "acme/bin/a",
    ] {
        fs::write(outside.join(file), "{\"of\": \"another user\"}")?;
    }
    Ok(())
}

/// Returns the state of everything outside the project.
fn seen(site: &Site) -> Result<BTreeMap<PathBuf, State>> {
    Ok(obstacles::state(&outside(site))?)
}

/// Replaces a path with an obstacle.
fn put(site: &Site, path: &Path, obstacle: &str) -> Result<()> {
    Ok(obstacles::put(path, obstacle, &outside(site))?)
}

fn places(site: &Site) -> Result<[Place; 4]> {
    let local = site.settings().with_file_name("settings.local.json");
    Ok([
        site.place("acme")?,
        Place::new(PlaceKind::Local(site.project()), &local, "acme")?,
        Place::new(PlaceKind::User, &site.settings(), "acme")?,
        Place::new(PlaceKind::Other, &site.settings(), "acme")?,
    ])
}

#[test]
fn no_obstacle_of_a_checkout_leads_out_of_it() -> Result<()> {
    thread::scope(|scope| {
        let scopes = [0, 1, 2, 3].map(|number| scope.spawn(move || each_obstacle(number)));
        let cases = scopes.into_iter().map(|cases| cases.join().expect("it does not panic"));
        eprintln!("{} cases", cases.sum::<Result<usize>>()?);
        Ok(())
    })
}

/// Replaces each component with each obstacle, in one of the scopes. Returns the number of runs.
fn each_obstacle(scope: usize) -> Result<usize> {
    let mut cases = 0;
    for (row, component) in COMPONENTS.into_iter().enumerate() {
        for (column, obstacle) in OBSTACLES.into_iter().enumerate() {
            // The user's own settings may be a link, and so may their folder.
            let is_allowed = scope == 2 && ["", "settings.json"].contains(&component) && obstacle.starts_with("a link");
            // An ordinary run tests each pair in one of the scopes.
            let is_another_s = (row + column) % soak::size(4, 1) != scope % soak::size(4, 1);
            if is_allowed || is_another_s {
                continue;
            }
            let histories = [&["install", "obstacle", "install"][..], &["install"], &[]];
            for so_far in &histories[..soak::size(1, 3)] {
                cases += pass(scope, component, obstacle, so_far)
                    .with_context(|| format!("{obstacle} in the place of {component:?}, after {so_far:?}"))?;
            }
        }
    }
    Ok(cases)
}

/// Installs and uninstalls despite an obstacle. Returns the number of runs.
fn pass(scope: usize, component: &str, obstacle: &str, so_far: &[&str]) -> Result<usize> {
    let site = Site::new(Some(OF_THE_USER))?;
    make_outside(&site)?;
    let place = places(&site)?[scope].clone();
    let component = component.replace("NAME", &place.folder_name());
    let path = site.project().join(".claude").join(component);
    let run = |what: &str| match what {
        "install" => site.install_at(&place, &["a", "b"], "the first", false),
        "renew" => site.install_at(&place, &["b"], "the second", false),
        "uninstall" => uninstall(&place, Path::new("acme")).map(drop),
        _ => put(&site, &path, obstacle),
    };
    for what in so_far {
        // It may fail or succeed.
        let _ = run(what);
    }
    put(&site, &path, obstacle)?;
    let before = seen(&site)?;
    let runs = ["install", "uninstall", "install", "renew", "uninstall"];
    for what in runs {
        let done = run(what);
        let mut now = seen(&site)?;
        let lost: Vec<_> = before.keys().filter(|path| !now.contains_key(*path)).collect();
        ensure!(lost.is_empty(), "{what} ({done:?}) removed {lost:?}");
        now.retain(|path, file| before.get(path) != Some(file));
        ensure!(now.is_empty(), "{what} ({done:?}) changed {now:?}");
    }
    Ok(runs.len())
}

#[test]
fn no_folder_of_a_checkout_leads_out_of_it() -> Result<()> {
    for component in [
        "app", "app/core", "app/core/.claude", "app/core/.claude/settings.json", "nested", "nested/.git",
        "nested/.claude", "nested/.claude/settings.local.json", "nested/.claude/hookkit",
    ] {
        for obstacle in OBSTACLES {
            let site = Site::new(Some(OF_THE_USER))?;
            make_outside(&site)?;
            fs::create_dir(outside(&site).join(".git"))?;
            act("folders", &site)?;
            put(&site, &site.project().join(component), obstacle)?;
            let before = seen(&site)?;
            for what in ["everywhere", "uninstall", "everywhere", "renew", "uninstall"] {
                let done = act(what, &site);
                let now = seen(&site)?;
                let place = format!("{obstacle} in the place of {component}");
                ensure!(now == before, "{what} with {place} ({done:?}) changed {now:?}");
            }
        }
    }
    Ok(())
}

/// The error contains the link, and an alternative.
#[test]
fn a_link_of_a_checkout_is_refused_with_its_path() -> Result<()> {
    for component in ["", "settings.json", "hookkit", "hookkit/acme", "hookkit/acme/bin"] {
        let site = Site::new(Some(OF_THE_USER))?;
        make_outside(&site)?;
        act("install", &site)?;
        let path = site.project().join(".claude").join(component);
        put(&site, &path, "a link to a folder outside")?;
        let path = path.display().to_string();
        for what in ["install", "uninstall"] {
            let message = refused(what, &site).with_context(|| format!("with a link at {path}"))?;
            let expected = format!("{} is a symbolic link to ", path.trim_end_matches('/'));
            let is_complete = message.contains(&expected) && message.contains("--settings FILE");
            assert!(is_complete, "{message}");
        }
    }
    Ok(())
}

/// A checkout can contain a file that looks like a leftover. It is not mistaken for a killed run's.
#[test]
fn a_leftover_of_a_checkout_stays_where_it_is() -> Result<()> {
    let site = Site::new(None)?;
    let left = site.project().join(".claude/.settings.json.hookkit-7");
    fs::create_dir(site.project().join(".claude"))?;
    fs::write(&left, "{\"of\": \"the checkout\"}")?;
    act("install", &site)?;
    act("uninstall", &site)?;
    assert_eq!(site.read()?, None);
    assert!(left.exists());
    Ok(())
}

/// A second program swaps folders and files with links, during and between the steps of a run.
#[test]
fn exchanged_components_lead_no_run_out() -> Result<()> {
    for component in [".claude", ".claude/hookkit", ".claude/hookkit/acme", ".claude/hookkit/acme/bin"] {
        let site = &Site::new(Some(OF_THE_USER))?;
        make_outside(site)?;
        let (path, decoy) = (site.project().join(component), site.project().join("decoy"));
        symlink(outside(site), &decoy)?;
        let before = seen(site)?;
        // It exists before the first install, too.
        fs::create_dir_all(&path)?;
        let exchange = move || renameat_with(CWD, &path, CWD, &decoy, RenameFlags::EXCHANGE).is_ok();
        let (is_done, exchanged) = (&AtomicBool::new(false), Arc::new(AtomicU64::new(0)));
        let enough = soak::size(200, 2_500) as u64;
        thread::scope(|scope| {
            let (at_steps, counted) = (exchange.clone(), Arc::clone(&exchanged));
            let count = Arc::clone(&exchanged);
            scope.spawn(move || {
                while !is_done.load(Ordering::Relaxed) {
                    count.fetch_add(exchange().into(), Ordering::Relaxed);
                    thread::sleep(Duration::from_micros(50));
                }
            });
            faults::meanwhile(move |_| {
                counted.fetch_add(at_steps().into(), Ordering::Relaxed);
            });
            // As long as it takes, but not forever.
            for round in 0..10_000 {
                for what in ["install", "renew", "uninstall"] {
                    // An error due to the swap is fine.
                    let _ = act(what, site);
                }
                if round > 20 && exchanged.load(Ordering::Relaxed) > enough {
                    break;
                }
            }
            is_done.store(true, Ordering::Relaxed);
        });
        faults::meanwhile(|_| {});
        assert!(exchanged.load(Ordering::Relaxed) > enough);
        assert_eq!(seen(site)?, before, "{component}");
    }
    Ok(())
}

#[test]
fn a_name_with_a_line_end_is_not_a_hook_of_ours() -> Result<()> {
    let place = Site::new(None)?.place("acme")?;
    let command = |hook: &str| format!("${{CLAUDE_PROJECT_DIR}}/.claude/hookkit/acme/bin/{hook}");
    assert_eq!(place.hook(&command("a")), Some("a"));
    for hook in ["a\nerror: run this", "a\u{202e}b", "a\u{1b}[2J", "a\u{2028}b"] {
        assert_eq!(place.hook(&command(hook)), None, "{hook:?}");
    }
    Ok(())
}

#[test]
fn what_a_link_leads_to_makes_no_line_of_its_own() -> Result<()> {
    let site = Site::new(None)?;
    symlink("x\nerror: fix it by: sh", site.project().join(".claude"))?;
    let message = refused("install", &site)?;
    message.has(" is a symbolic link to x error: fix it by: sh, and links below");
    Ok(())
}

#[test]
fn a_binary_that_has_another_name_is_written_anew() -> Result<()> {
    let site = Site::new(None)?;
    act("install", &site)?;
    let (binary, other) = (site.place("acme")?.binary("a").path(), site.project().join("notes.txt"));
    let bytes = fs::read(&binary)?;
    fs::hard_link(&binary, &other)?;
    act("install", &site)?;
    fs::write(&other, "of the model")?;
    assert_eq!(fs::read(&binary)?, bytes);
    act("uninstall", &site)
}

#[test]
fn a_settings_file_that_is_named_is_not_a_link() -> Result<()> {
    let site = Site::new(Some(OF_THE_USER))?;
    make_outside(&site)?;
    let before = seen(&site)?;
    let claude = site.project().join(".claude");
    symlink(outside(&site).join("settings.json"), claude.join("team.json"))?;
    symlink(outside(&site), site.project().join("linked"))?;
    for file in [claude.join("team.json"), site.project().join("linked/team.json")] {
        let place = Place::new(PlaceKind::Other, &file, "acme")?;
        let refused = site.install_at(&place, &["a"], "the first", false);
        let message = refused.map_err(|err| format!("{err:#}")).expect_err("it is refused");
        assert!(message.contains("symbolic link"), "{message}");
        assert_eq!(seen(&site)?, before);
    }
    Ok(())
}

#[test]
fn what_is_in_the_place_of_a_temporary_file_does_not_block_the_next_run() -> Result<()> {
    let site = Site::new(Some(OF_THE_USER))?;
    act("install", &site)?;
    let strange = [
        site.settings().with_file_name(".settings.json.hookkit-7"),
        site.place("acme")?.hookkit().path().join(".hookkit-7"),
    ];
    let journal = json!({"run": ".hookkit-7", "edit": {"file": site.settings(), "inode": 1}});
    site.place("acme")?.notes.write("journal.json", &journal)?;
    for strange in &strange {
        fs::create_dir_all(strange.join("of the checkout"))?;
    }
    act("renew", &site)?;
    act("uninstall", &site)?;
    assert!(strange.iter().all(|strange| strange.join("of the checkout").is_dir()));
    assert_eq!(site.read()?.as_deref(), Some(OF_THE_USER));
    Ok(())
}
