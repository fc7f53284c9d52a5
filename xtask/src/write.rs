//! Every change that is made on disk.
//!
//! A file is replaced as a whole, by a rename: whoever reads it meanwhile sees the old or the new one, and so does the
//! next run after this one was killed. The tests kill it before and after each step.

use std::fs::{self, File, Metadata, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;
use tempfile::{Builder, NamedTempFile, TempPath};

use crate::tell;

/// What our temporary files begin with, in folders that are ours.
const OURS: &str = ".hookkit-";

/// A step that can be the last one.
macro_rules! step {
    ($name:literal) => {
        #[cfg(test)]
        crate::faults::step($name)
    };
}
pub(crate) use step;

/// Reads a file that need not be there.
pub(crate) fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    // Of a pipe the end would be waited for.
    let is_file = |file: Metadata| {
        if file.is_file() {
            Ok(())
        } else {
            Err(io::Error::other("it is no file"))
        }
    };
    match fs::metadata(path).and_then(is_file).and_then(|()| fs::read(path)) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(err) => Err(err).with_context(|| format!("reading {}", path.display())),
    }
}

/// How long somebody who writes a file where it is may leave it empty, or half written.
const SETTLES: Duration = Duration::from_millis(50);

/// Reads a file of the user's, and makes something of it; once more where that fails and somebody was writing.
pub(crate) fn read_as<T>(
    path: &Path,
    mut understand: impl FnMut(Option<&[u8]>) -> Result<T>,
) -> Result<(Option<Vec<u8>>, T)> {
    let bytes = read(path)?;
    let err = match understand(bytes.as_deref()) {
        Ok(understood) => return Ok((bytes, understood)),
        Err(err) => err,
    };
    step!("a file that is not understood");
    thread::sleep(SETTLES);
    let later = read(path)?;
    if later == bytes {
        return Err(err);
    }
    let understood = understand(later.as_deref())?;
    Ok((later, understood))
}

/// Writes a file that is ours, with this mode, unless it is there already.
pub(crate) fn own(path: &Path, bytes: &[u8], mode: u32) -> Result<()> {
    let has_mode = fs::metadata(path).is_ok_and(|present| present.permissions().mode() & 0o777 == mode);
    if has_mode && read(path)?.is_some_and(|present| present == bytes) {
        return Ok(());
    }
    let written = || -> Result<()> {
        let folder = path.parent().context("it has no folder")?;
        create_folder(folder)?;
        let temporary = prepared(Builder::new().prefix(OURS), folder, bytes, |file| {
            Ok(file.set_permissions(Permissions::from_mode(mode))?)
        })?;
        // The temporary file's own name would say nothing to anybody.
        temporary.persist(path).map_err(|err| err.error)?;
        step!("rename");
        sync(folder)
    };
    written().with_context(|| format!("writing {}", path.display()))
}

/// Creates a folder of ours, with those that it is in.
pub(crate) fn create_folder(folder: &Path) -> Result<()> {
    if !folder.is_dir() {
        step!("before a folder");
        fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
        step!("a folder");
    }
    Ok(())
}

/// Removes a file, a link, or a folder with all that is in it, if it is there.
pub(crate) fn remove(path: &Path) -> Result<()> {
    let removed = (|| {
        if path.is_dir() && !path.is_symlink() {
            for file in fs::read_dir(path)? {
                remove(&file?.path())?;
            }
            fs::remove_dir(path)?;
        } else {
            fs::remove_file(path)?;
        }
        Ok::<_, anyhow::Error>(())
    })();
    step!("removal");
    match removed {
        Err(err) if !is(&err, io::ErrorKind::NotFound) => Err(err.context(format!("removing {}", path.display()))),
        _ => Ok(()),
    }
}

fn is(err: &anyhow::Error, kind: io::ErrorKind) -> bool {
    err.downcast_ref::<io::Error>().is_some_and(|err| err.kind() == kind)
}

/// Removes what a run that was killed has left in a folder of ours, which nobody else writes to now.
pub(crate) fn clean(folder: &Path) -> Result<()> {
    for file in fs::read_dir(folder).into_iter().flatten().flatten() {
        if file.file_name().as_encoded_bytes().starts_with(OURS.as_bytes()) {
            remove(&file.path())?;
        } else if file.file_type().is_ok_and(|kind| kind.is_dir()) {
            clean(&file.path())?;
        }
    }
    Ok(())
}

/// The file that a path leads to, be it there or not: dotfiles are often links.
pub(crate) fn behind_links(path: &Path) -> PathBuf {
    let mut target = path.to_owned();
    // As many as the kernel follows.
    for _ in 0..40 {
        match (fs::read_link(&target), target.parent()) {
            (Ok(next), Some(folder)) => target = folder.join(next),
            _ => break,
        }
    }
    target
}

/// Whether a file of the user's could be replaced: told before minutes are spent on a build.
///
/// # Errors
///
/// Where the file is not ours to write, with what to do about it.
pub(crate) fn check(path: &Path) -> Result<()> {
    let target = behind_links(path);
    if let Some(folder) = target.parent().filter(|folder| path.is_symlink() && !folder.is_dir()) {
        // Where a link of the user's leads to is not for us to make.
        bail!(
            "{} is a link to {}, and there is no such folder, so nothing was changed; create it first: mkdir -p {}",
            path.display(),
            target.display(),
            crate::quoted(&folder.display().to_string())
        );
    }
    let folder = target.ancestors().skip(1).find(|folder| folder.exists());
    let folder = folder.context("it has no folder")?;
    let mend = |what: &Path| {
        format!(
            "{} is read-only, so nothing was changed; make it writable first: chmod u+w {}",
            what.display(),
            crate::quoted(&what.display().to_string())
        )
    };
    let folder_mode = fs::metadata(folder)?.permissions().mode();
    ensure!(folder_mode & 0o222 != 0, mend(folder));
    // Where the system can make a file without a name, nobody who watches the folder sees it.
    let probe = tempfile::tempfile_in(folder).with_context(|| {
        format!(
            "{} cannot be written to, so nothing was changed; run this as the user whose folder it is",
            folder.display()
        )
    })?;
    let present = match fs::metadata(&target) {
        Ok(present) => present,
        Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(err) => return Err(err).with_context(|| format!("reading {}", target.display())),
    };
    ensure!(present.is_file(), "{} is no file", target.display());
    ensure!(present.permissions().mode() & 0o222 != 0, mend(&target));
    let (owner, user) = (present.uid(), probe.metadata()?.uid());
    ensure!(
        owner == user,
        "{} belongs to another user (id {owner}, and this is {user}), so nothing was changed; run this as its owner",
        target.display()
    );
    Ok(())
}

/// How often an edit is made anew because somebody else wrote the file meanwhile.
const TRIES: usize = 20;

/// Gives a file of the user's the bytes that `change` makes of those that it has; `None` is no file.
///
/// The mode stays, and the group where that may be; where the path is a link, the file behind it is written. It is another
/// file of that name all the same: access lists, extended attributes and other hard links are lost.
///
/// What somebody else writes meanwhile is not lost: it is seen, and changed in its turn. Where the file system cannot
/// exchange two files, an instant is left between the last look and the rename. Who had opened the file before, and
/// writes where it is after we have looked for the last time, writes into one that has no name any more.
///
/// # Errors
///
/// Those of `change`, and where the file cannot be written. It is then as somebody else left it.
pub(crate) fn edit(path: &Path, mut change: impl FnMut(Option<&[u8]>) -> Result<Option<Vec<u8>>>) -> Result<()> {
    let target = behind_links(path);
    for _ in 0..TRIES {
        let (before, after) = read_as(&target, &mut change)?;
        if after == before {
            return Ok(());
        }
        check(path)?;
        let names = fs::metadata(&target).map_or(1, |file| file.nlink());
        step!("before the edit");
        let done = match (&before, &after) {
            (None, Some(after)) => create(&target, after),
            (Some(before), Some(after)) => replace(&target, before, after),
            (Some(before), None) => take_away(&target, before),
            (None, None) => Ok(true),
        };
        match done.with_context(|| format!("writing {}", path.display())) {
            Ok(true) => {
                if names > 1 {
                    let path = path.display();
                    tell(format_args!(
                        "note: {path} is a file of its own now; its other hard links are as they were"
                    ));
                }
                return Ok(());
            }
            Ok(false) => {}
            Err(err) if err.downcast_ref().and_then(Errno::from_io_error) == Some(Errno::BUSY) => {
                let mend =
                    "a file that is mounted by itself, as into a container, cannot be replaced; mount its folder";
                return Err(err.context(mend));
            }
            // Somebody has removed the file meanwhile, or its folder.
            Err(err) if is(&err, io::ErrorKind::NotFound) => {}
            Err(err) => return Err(err),
        }
    }
    bail!(
        "{} is being written by somebody else, again and again; try it once more later",
        path.display()
    )
}

/// Writes a file that is not there, with the mode that any program's file gets; false if it is there by now.
fn create(target: &Path, after: &[u8]) -> Result<bool> {
    let folder = folder(target)?;
    create_folder(folder)?;
    let prefix = prefix(target)?;
    let mut builder = Builder::new();
    // The system takes the umask from it.
    builder.prefix(&prefix).permissions(Permissions::from_mode(0o666));
    let temporary = prepared(&mut builder, folder, after, |_| Ok(()))?;
    match temporary.persist_noclobber(target) {
        Err(err) if err.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(err) => Err(err.error.into()),
        Ok(_) => {
            step!("a new file");
            sync(folder)?;
            Ok(true)
        }
    }
}

/// Replaces a file that has the bytes `before`; false, and nothing changed, if it has others by now.
///
/// Between the last look and a rename somebody else could write. So the two files change places, and what is taken out
/// is looked at once more: where it is not what was edited, it goes back.
fn replace(target: &Path, before: &[u8], after: &[u8]) -> Result<bool> {
    let folder = folder(target)?;
    let present = fs::metadata(target)?;
    let prefix = prefix(target)?;
    let temporary = prepared(Builder::new().prefix(&prefix), folder, after, |file| {
        keep(file, &present)
    })?;
    // By its name a file that was taken out is told from one that never got in; see `recover`.
    let name = numbered(target, temporary.as_file().metadata()?.ino())?;
    temporary.persist(&name).map_err(|err| err.error)?;
    let temporary = TempPath::try_from_path(&name)?;
    step!("before the last look");
    if read(target)?.as_deref() != Some(before) {
        return Ok(false);
    }
    step!("the last look");
    match exchange(&name, target) {
        Err(err) if is_unsupported(&err) => temporary.persist(target).map_err(|err| err.error)?,
        Err(err) => return Err(err.into()),
        Ok(()) => {
            // The name is that of the user's file now. It goes by our own hand alone, where we know what it is: if
            // anything fails it stays, and the next run puts it back.
            temporary.keep().map_err(|err| err.error)?;
            step!("the exchange");
            let taken = fs::read(&name)?;
            if taken != before {
                put_in_again(&name, taken, target, after)?;
                return Ok(false);
            }
            sync(folder)?;
            fs::remove_file(&name)?;
        }
    }
    step!("an edited file");
    // The name that was removed, too: if it came back after a power cut, the next run would undo the edit, perhaps
    // without the binaries that this run goes on to remove.
    sync(folder)?;
    Ok(true)
}

/// Puts a file of the user's back in the place of ours, which has the bytes `ours`.
///
/// What comes out may be newer once more, and then that goes back: the last one counts.
fn put_in_again(name: &Path, mut taken: Vec<u8>, target: &Path, ours: &[u8]) -> Result<()> {
    let mut expected = ours.to_vec();
    loop {
        match exchange(name, target) {
            // Somebody has removed ours.
            Err(err) if err.kind() == io::ErrorKind::NotFound => return put_back(name, target),
            exchanged => exchanged?,
        }
        step!("the exchange back");
        let out = fs::read(name)?;
        if out == expected {
            return Ok(fs::remove_file(name)?);
        }
        expected = std::mem::replace(&mut taken, out);
    }
}

/// Removes a file that has the bytes `before`; false, and nothing changed, if it has others by now.
fn take_away(target: &Path, before: &[u8]) -> Result<bool> {
    let taken = numbered(target, 0)?;
    fs::rename(target, &taken)?;
    step!("a file taken away");
    if fs::read(&taken)? != before {
        put_back(&taken, target)?;
        return Ok(false);
    }
    fs::remove_file(&taken)?;
    step!("a file removed");
    sync(folder(target)?)?;
    Ok(true)
}

/// Puts back what was taken away, unless there is a newer one.
///
/// A file system that has neither a rename that replaces nothing nor hard links leaves an instant in which a newer one
/// could be replaced.
fn put_back(taken: &Path, target: &Path) -> Result<()> {
    let put = match rename_beside(taken, target) {
        Err(err) if is_unsupported(&err) => fs::hard_link(taken, target).and_then(|()| fs::remove_file(taken)),
        renamed => renamed,
    };
    match put {
        Err(err) if err.kind() == io::ErrorKind::AlreadyExists => fs::remove_file(taken)?,
        Err(_) if !target.exists() => fs::rename(taken, target)?,
        put => put?,
    }
    Ok(())
}

/// Cleans up beside a file of the user's what a run that was killed in [`edit`] has left there.
///
/// Most of that is ours. A file that was taken out is the user's, and goes back, unless the file was written since: what
/// else is to follow an edit has not been done, so that it is as if the run had never come to it.
pub(crate) fn recover(path: &Path) -> Result<()> {
    let target = behind_links(path);
    let prefix = prefix(&target)?;
    for file in fs::read_dir(folder(&target)?).into_iter().flatten().flatten() {
        let name = file.file_name();
        let Some(number) = name.to_str().and_then(|name| name.strip_prefix(&prefix)) else {
            continue;
        };
        let (left, number) = (file.path(), number.parse::<u64>().ok());
        let Ok(metadata) = fs::metadata(&left) else { continue };
        let was_taken_out = number.is_some_and(|number| number != metadata.ino());
        if !was_taken_out {
            remove(&left)?;
            continue;
        }
        let Ok(present) = fs::metadata(&target) else {
            put_back(&left, &target)?;
            continue;
        };
        let written_since = (present.mtime(), present.mtime_nsec()) > (metadata.ctime(), metadata.ctime_nsec());
        if number == Some(present.ino()) && !written_since {
            fs::rename(&left, &target)?;
        } else {
            remove(&left)?;
        }
    }
    Ok(())
}

/// A file with these bytes, safely on the disk, that is to get another name.
fn prepared(
    builder: &mut Builder<'_, '_>,
    folder: &Path,
    bytes: &[u8],
    set_mode: impl FnOnce(&File) -> Result<()>,
) -> Result<NamedTempFile> {
    // Its random part may be all digits: it must not be taken for an inode's number.
    let mut temporary = builder.suffix(".new").tempfile_in(folder)?;
    step!("a temporary file");
    let (first, second) = bytes.split_at(bytes.len() / 2);
    temporary.write_all(first)?;
    step!("half of it");
    temporary.write_all(second)?;
    set_mode(temporary.as_file())?;
    to_disk(temporary.as_file())?;
    step!("all of it");
    Ok(temporary)
}

/// Gives a file the mode of another one, and its group, where that may be.
fn keep(file: &File, present: &Metadata) -> Result<()> {
    let mut mode = present.permissions().mode();
    if file.metadata()?.gid() != present.gid() && std::os::unix::fs::fchown(file, None, Some(present.gid())).is_err() {
        mode = for_another_group(mode);
    }
    Ok(file.set_permissions(Permissions::from_mode(mode))?)
}

/// The mode for a file that could not be given its group: another one may do no more than everybody.
fn for_another_group(mode: u32) -> u32 {
    let others = mode & 0o007;
    mode & (!0o070 | others << 3)
}

fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

/// Renames a file, unless there is one of that name.
fn rename_beside(from: &Path, to: &Path) -> io::Result<()> {
    Ok(renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE)?)
}

/// Whether a call failed because the system or the file system has nothing like it.
fn is_unsupported(err: &io::Error) -> bool {
    let unsupported = [Errno::INVAL, Errno::NOSYS, Errno::NOTSUP, Errno::OPNOTSUPP];
    Errno::from_io_error(err).is_some_and(|err| unsupported.contains(&err))
}

/// What the temporary files beside a file of the user's begin with.
///
/// Other settings files' are another lock's. Two settings files that are links to one file have two locks and one prefix:
/// runs for both at once can undo each other's edit, and then make it anew, or fail.
fn prefix(target: &Path) -> Result<String> {
    let name = target.file_name().and_then(|name| name.to_str());
    let name = name.with_context(|| format!("{} is no name that can be written", target.display()))?;
    Ok(format!(".{name}{OURS}"))
}

fn numbered(target: &Path, number: u64) -> Result<PathBuf> {
    Ok(target.with_file_name(format!("{}{number}", prefix(target)?)))
}

fn folder(target: &Path) -> Result<&Path> {
    target.parent().context("it has no folder")
}

/// Makes the names in a folder last.
fn sync(folder: &Path) -> Result<()> {
    match to_disk(&File::open(folder)?) {
        // Some file systems, of networks and of FUSE, sync files and no folders.
        Err(err) if is_unsupported(&err) => Ok(()),
        synced => Ok(synced?),
    }
}

/// Tests kill processes and no machines: for them it is the same, and quicker, to leave it to the kernel.
fn to_disk(file: &File) -> io::Result<()> {
    if cfg!(not(test)) {
        file.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_group_could_not_be_kept_for_it_does_not_get() {
        for (mode, kept) in [
            (0o660, 0o600),
            (0o664, 0o644),
            (0o640, 0o600),
            (0o644, 0o644),
            (0o600, 0o600),
        ] {
            assert_eq!(for_another_group(mode), kept, "{mode:o}");
        }
    }

    #[test]
    fn what_is_put_back_does_not_replace_a_newer_one() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let (taken, target) = (folder.path().join("taken"), folder.path().join("target"));
        for present in [None, Some("newer")] {
            fs::write(&taken, "older")?;
            if let Some(present) = present {
                fs::write(&target, present)?;
            }
            put_back(&taken, &target)?;
            assert_eq!(fs::read_to_string(&target)?, present.unwrap_or("older"));
            assert!(!taken.exists());
        }
        Ok(())
    }

    #[test]
    fn no_temporary_file_of_ours_is_taken_for_one_of_the_user_s() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let target = folder.path().join("settings.json");
        // All digits, as the random part can be.
        let name = format!("{}123456", prefix(&target)?);
        prepared(Builder::new().prefix(&name).rand_bytes(0), folder.path(), b"", |_| {
            Ok(())
        })?
        .keep()?;
        recover(&target)?;
        assert_eq!(fs::read_dir(folder.path())?.count(), 0);
        Ok(())
    }
}
