//! Tests of hostile checkouts, and of programs that change files or take snapshots at the same time.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

#[test]
fn a_checkout_starts_nothing_and_reaches_nothing() {
    let world = World::new();
    let (root, outside) = (world.path(""), world.folder.path().join("outside"));
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("file"), "outside").unwrap();
    let ran = world.folder.path().join("ran");
    let evil = world.write("evil", format!("#!/bin/sh\ntouch {}\ncat\n", ran.display()));
    chmod(&evil, 0o755);
    git(&root, &["init", "-q"]);
    world.write(".gitattributes", "* filter=f ident text eol=crlf working-tree-encoding=UTF-16\n");
    let program = evil.to_str().unwrap();
    for key in ["filter.f.clean", "filter.f.process", "core.fsmonitor", "core.pager", "diff.external"] {
        git(&root, &["config", key, program]);
    }
    for hook in ["reference-transaction", "post-index-change", "pre-commit", "post-commit"] {
        fs::create_dir_all(root.join(".git/hooks")).unwrap();
        fs::copy(&evil, root.join(".git/hooks").join(hook)).unwrap();
    }
    world.write(".gitmodules", "[submodule \"x\"]\n\tpath = sub\n\turl = ext::evil\n");
    world.write("file", "$Id$\r\none\n");
    for obstacle in
        ["a link to a folder outside", "a link to a file outside", "a link to /dev/zero", "a link to itself"]
    {
        obstacles::put(&world.path(obstacle), obstacle, &outside).unwrap();
    }
    let before = obstacles::state(&root).unwrap();
    let number = world.keep();
    world.keep();
    assert_eq!(world.files(number), world.present());
    assert_eq!(obstacles::state(&root).unwrap(), before);
    assert!(!ran.exists());
    let text = format!("{:?}", world.files(number));
    text.lacks("\"outside\"");
}

#[test]
fn a_folder_that_becomes_a_link_while_it_is_read_is_not_followed() {
    let world = World::new();
    world.write("folder/file", "inside");
    let outside = world.folder.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("file"), "outside").unwrap();
    let is_over = AtomicUsize::new(0);
    thread::scope(|scope| {
        scope.spawn(|| {
            let (folder, aside) = (world.path("folder"), world.path("aside"));
            while is_over.load(Ordering::Relaxed) == 0 {
                fs::rename(&folder, &aside).unwrap();
                symlink(&outside, &folder).unwrap();
                fs::remove_file(&folder).unwrap();
                fs::rename(&aside, &folder).unwrap();
            }
        });
        for _ in 0..30 {
            let number = world.keep();
            for (path, (mode, bytes)) in world.files(number) {
                assert!(mode.is_none() || bytes == b"inside", "{}", path.display());
            }
        }
        is_over.store(1, Ordering::Relaxed);
    });
}

#[test]
fn a_file_that_is_removed_while_it_is_read_is_not_there() {
    let world = World::new();
    let is_over = AtomicUsize::new(0);
    thread::scope(|scope| {
        scope.spawn(|| {
            while is_over.load(Ordering::Relaxed) == 0 {
                (0..20).for_each(|number| drop(world.write(format!("{number}/file"), "1")));
                (0..20).for_each(|number| fs::remove_dir_all(world.path(number.to_string())).unwrap());
            }
        });
        let kept = (0..1000).map(|_| world.try_keep());
        let kept: io::Result<Vec<_>> =
            kept.take_while(|kept| kept.as_ref().ok().is_none_or(|kept| kept.number < 60)).collect();
        is_over.store(1, Ordering::Relaxed);
        let left_out: Vec<_> = kept.unwrap().into_iter().flat_map(|kept| kept.left_out).collect();
        assert_eq!(left_out, []);
    });
}

#[test]
fn processes_at_the_same_time_take_snapshots_one_after_the_other() {
    let world = World::new();
    thread::scope(|scope| {
        for thread in 0..4 {
            let world = &world;
            scope.spawn(move || {
                for round in 0..5 {
                    world.write(format!("{thread}"), format!("{round}"));
                    let number = world.keep();
                    let kept = world.files(number)[Path::new(&format!("{thread}"))].1.clone();
                    assert_eq!(kept, format!("{round}").into_bytes());
                }
            });
        }
    });
    let rows = world.store().rows().unwrap();
    let calls: Vec<u64> = rows.iter().filter_map(Row::call).map(|call| call.number).collect();
    assert_eq!(calls.len(), 20);
    assert!(calls.is_sorted(), "{calls:?}");
}

#[test]
fn a_lock_is_not_waited_for_longer_than_the_time_of_a_snapshot() {
    let mut world = World::new();
    world.keep();
    world.bounds.seconds = 0;
    let lock = File::open(world.store().path("lock")).unwrap();
    lock.lock().unwrap();
    let error = world.try_keep().unwrap_err().to_string();
    assert_eq!(error, "another process is taking a snapshot of this project");
}
